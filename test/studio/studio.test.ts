import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { scripted } from '../../src/model/index.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio } from './studio.fixture.ts'
import type { ServedStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('the studio in a browser', { timeout: 60_000 }, () => {
  let browser: Browser
  let context: BrowserContext
  let demo: AgentService
  let studio: ServedStudio

  beforeAll(async () => {
    const [started, service] = await Promise.all([launchChromium(), demoService()])
    browser = started
    demo = service
    studio = await serveStudio(demo)
    context = await browser.newContext()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
    await demo?.stop()
  })

  it('refuses a browser that has not opened the link, and requests of other sites', async () => {
    const stranger = await browser.newContext()
    const page = await stranger.newPage()
    const answer = await page.goto(studio.url)
    expect(answer?.status()).toBe(401)
    expect(await page.textContent('h1')).toBe('This browser is not signed in')
    expect((await page.goto(`${studio.url}/open?ticket=9999999999999.${'A'.repeat(43)}`))?.status()).toBe(401)
    await page.goto(studio.link)
    const cookie = (await stranger.cookies()).map(({ name, value, httpOnly, sameSite }) => {
      expect({ httpOnly, sameSite }).toEqual({ httpOnly: true, sameSite: 'Strict' })
      return `${name}=${value}`
    })
    const cancel = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${studio.url}/api/runs/demo-hello/cancel`, {
        method: 'POST',
        headers: { cookie: cookie[0]!, 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    expect((await cancel({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await cancel({ origin: studio.url })).status).toBe(202)
    expect((await cancel({ cookie: `${cookie[0]!.slice(0, -2)}xx`, origin: studio.url })).status).toBe(401)
    await stranger.close()
  })

  it('says what to do where there is nothing yet, and shows a run as it comes and ends, without a reload', async () => {
    const service = new AgentService({
      agents: [{ id: 'greeter', model: scripted([{ text: 'Hello there.', delayMs: 50 }]) }],
    })
    const empty = await serveStudio(service)
    const page = await openStudio(context, empty)
    await page.getByText('No runs yet').waitFor()
    const run = service.run('greeter', 'Say hello.', { runId: 'first' })
    await page.getByText('first', { exact: true }).waitFor()
    await run
    await page.locator('td').getByText('completed').waitFor()
    expect(page.faults).toEqual([])
    await page.close()
    await empty.close()
    await service.stop()
  })

  it('answers an approval from the keyboard alone, and its run goes on', async () => {
    const page = await openStudio(context, studio)
    await page.getByText('demo-refund').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByText('A person looks at refunds above $50.').first().waitFor()
    while (!(await page.getByRole('heading', { name: 'tool refund' }).isVisible())) await page.keyboard.press('j')
    await page.keyboard.press('a')
    await expect.poll(async () => (await demo.summary('demo-refund')).state, { timeout: 10_000 }).toBe('completed')
    await page.goto(`${studio.url}/inbox?item=demo-destructive-ap4`)
    await page.getByRole('heading', { name: 'tool drop_table' }).waitFor()
    await page.keyboard.press('d')
    await expect.poll(async () => (await demo.summary('demo-destructive')).state, { timeout: 10_000 }).toBe('completed')
    expect(JSON.stringify(await demo.messages('demo-destructive'))).not.toContain('gone')
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('forks at a tool result with another one: the new run differs, the old one stays', async () => {
    const before = await demo.verify('demo-small-refund')
    const page = await openStudio(context, studio, '/runs/demo-small-refund?at=5')
    await page.getByRole('heading', { name: '#5' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('It performs effects and spends money').waitFor()
    await page.locator('dialog[open] textarea').fill('{"refunded":false}')
    await page.getByRole('button', { name: 'Fork, and spend' }).click()
    await page.waitForURL((url) => url.pathname !== '/runs/demo-small-refund')
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await expect.poll(async () => (await demo.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await demo.messages(id))).toContain('"refunded":false')
    expect((await demo.verify('demo-small-refund')).head).toEqual(before.head)
    await page.close()
  })
})
