import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio } from './studio.fixture.ts'
import type { ServedStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('a studio that is read-only', { timeout: 60_000 }, () => {
  let browser: Browser
  let demo: AgentService
  let studio: ServedStudio
  beforeAll(async () => {
    const [started, service] = await Promise.all([launchChromium(), demoService()])
    browser = started
    demo = service
    studio = await serveStudio(demo, 0, { readOnly: true })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
    await demo?.stop()
  })

  it('says beside each button why it cannot be pressed, and still says what the gate would', async () => {
    const page = await openStudio(await browser.newContext(), studio, '/inbox?item=demo-refund-ap11')
    await page.getByRole('heading', { name: 'tool refund' }).waitFor()
    await page.getByRole('region', { name: 'The request' }).getByText('This server is read-only').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await page.keyboard.press('a')
    await page.goto(`${studio.url}/runs/demo-hello?at=2`)
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('f')
    await page.locator('dialog[open]').getByText('This server is read-only').waitFor()
    expect(await page.getByRole('button', { name: 'Fork, and spend' }).isDisabled()).toBe(true)
    await page.goto(`${studio.url}/policy?tool=refund&agent=support`)
    await page.getByLabel('Input, as JSON').fill('{"order":"A-17","amount":80}')
    await page.getByRole('button', { name: 'Ask the gate' }).click()
    await page.getByRole('heading', { name: 'ask', exact: true }).waitFor()
    expect((await demo.summary('demo-refund')).state).toBe('suspended')
    expect(page.faults).toEqual([])
    await page.close()
  })
})
