import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { useStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('a studio that is read-only', { timeout: 60_000 }, () => {
  const studio = useStudio({ readOnly: true })

  it('says beside each button why it cannot be pressed, and still says what the gate would', async () => {
    const page = await studio.open('/inbox?item=demo-refund-ap11')
    await page.getByRole('heading', { name: 'tool refund' }).waitFor()
    await page.getByRole('region', { name: 'The request' }).getByText('This server is read-only').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    await page.keyboard.press('a')
    await page.goto(`${studio.served.url}/runs/demo-hello?at=2`)
    await page.getByRole('heading', { name: '#2' }).waitFor()
    await page.keyboard.press('f')
    await page.locator('dialog[open]').getByText('This server is read-only').waitFor()
    expect(await page.getByRole('button', { name: 'Fork, and spend' }).isDisabled()).toBe(true)
    await page.goto(`${studio.served.url}/policy?tool=refund&agent=support`)
    await page.getByLabel('Input, as JSON').fill('{"order":"A-17","amount":80}')
    await page.getByRole('button', { name: 'Ask the gate' }).click()
    await page.getByRole('heading', { name: 'ask', exact: true }).waitFor()
    expect((await studio.service.summary('demo-refund')).state).toBe('suspended')
    expect(page.faults).toEqual([])
    await page.close()
  })
})
