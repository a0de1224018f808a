import { describe, expect, it } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { CHROMIUM } from '../browser/chromium.fixture.ts'
import { openStudio, serveStudio, useStudio } from './studio.fixture.ts'

describe.skipIf(CHROMIUM === undefined)('the studio in a browser', { timeout: 60_000 }, () => {
  const studio = useStudio()

  it('refuses a browser that has not opened the link, and requests of other sites', async () => {
    const stranger = await studio.browser.newContext()
    const page = await stranger.newPage()
    const answer = await page.goto(studio.served.url)
    expect(answer?.status()).toBe(401)
    expect(await page.textContent('h1')).toBe('This browser is not signed in')
    // Its style is let in by its hash.
    expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('grid')
    expect((await page.goto(`${studio.served.origin}/open?ticket=${'a'.repeat(32)}`))?.status()).toBe(401)
    await page.goto(await studio.served.link())
    const cookie = (await stranger.cookies()).map(({ name, value, httpOnly, sameSite }) => {
      expect({ httpOnly, sameSite }).toEqual({ httpOnly: true, sameSite: 'Strict' })
      return `${name}=${value}`
    })
    const cancel = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${studio.served.url}/api/runs/demo-hello/cancel`, {
        method: 'POST',
        headers: { cookie: cookie[0]!, 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    expect((await cancel({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await cancel({ origin: studio.served.origin })).status).toBe(202)
    expect((await cancel({ cookie: `${cookie[0]!.slice(0, -2)}xx`, origin: studio.served.origin })).status).toBe(401)
    await stranger.close()
  })

  it('asks for the first entries of a run once, before its scripts have begun', async () => {
    const page = await studio.open('/runs/demo-injection')
    await page.getByText('send_email').first().waitFor()
    const asked = (await page.evaluate(
      "performance.getEntriesByType('resource').filter(({ name }) => /outline.*limit=200/.test(name)).map(({ initiatorType }) => initiatorType)",
    )) as readonly string[]
    // By the page itself, not by a script; and what the script wants is what was asked for.
    expect(asked).toEqual(['link'])
    await page.close()
  })

  it('says what to do where there is nothing yet, and shows a run as it comes and ends, without a reload', async () => {
    const service = new AgentService({
      agents: [{ id: 'greeter', model: scripted([{ text: 'Hello there.', delayMs: 50 }]) }],
    })
    const empty = await serveStudio(service)
    const page = await openStudio(studio.context, empty)
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
    const page = await studio.open()
    await page.getByText('demo-refund').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByText('A person looks at refunds above $50.').first().waitFor()
    while (!(await page.getByRole('heading', { name: 'tool refund' }).isVisible())) await page.keyboard.press('j')
    await page.keyboard.press('a')
    await page.getByText('Enter approves it').waitFor()
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await studio.service.summary('demo-refund')).state, { timeout: 10_000 })
      .toBe('completed')
    await page.goto(`${studio.served.url}/inbox?item=demo-destructive-ap4`)
    await page.getByRole('heading', { name: 'tool drop_table' }).waitFor()
    await page.keyboard.press('d')
    await page.keyboard.type('not today')
    await page.keyboard.press('Enter')
    await expect
      .poll(async () => (await studio.service.summary('demo-destructive')).state, { timeout: 10_000 })
      .toBe('completed')
    const told = JSON.stringify(await studio.service.messages('demo-destructive'))
    expect(told).not.toContain('gone')
    expect(told).toContain('not today')
    expect(page.faults).toEqual([])
    await page.close()
  })

  it('forks at a tool result with another one: the new run differs, the old one stays', async () => {
    const before = await studio.service.verify('demo-small-refund')
    const page = await studio.open('/runs/demo-small-refund?at=5')
    await page.getByRole('heading', { name: '#5' }).waitFor()
    await page.keyboard.press('f')
    await page.getByText('It performs effects and spends money').waitFor()
    await page.locator('dialog[open] textarea').fill('{"refunded":false}')
    await page.getByRole('button', { name: 'Fork, and spend' }).click()
    await page.waitForURL((url) => !url.pathname.endsWith('/runs/demo-small-refund'))
    const id = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await expect.poll(async () => (await studio.service.summary(id)).state).toBe('completed')
    expect(JSON.stringify(await studio.service.messages(id))).toContain('"refunded":false')
    expect((await studio.service.verify('demo-small-refund')).head).toEqual(before.head)
    await page.close()
  })
})
