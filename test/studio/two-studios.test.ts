import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { studioWith } from './studio.fixture.ts'

const SECRET = 'a secret of tests, long enough to sign with'

describe.skipIf(CHROMIUM === undefined)('two studios in one browser', { timeout: 60_000 }, () => {
  it('keep their sessions apart, no other server of the host gets one, and the bare address leads to the studio', async () => {
    const [one, other] = [await studioWith(SECRET, 'run-of-one'), await studioWith(`${SECRET}, too`, 'run-of-other')]
    const received: (string | undefined)[] = []
    const stranger = createServer((request, response) => {
      received.push(request.headers.cookie)
      response.setHeader('content-type', 'text/html').end('<p>Another server of this host.</p>')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => stranger.once('listening', resolve))
    const browser = await launchChromium()
    onTestFinished(async () => {
      await browser.close()
      await new Promise((resolve) => stranger.close(resolve))
    })
    const context = await browser.newContext()
    const [first, second, third] = [await context.newPage(), await context.newPage(), await context.newPage()]
    await first.goto(await one.link())
    await first.getByText('run-of-one').first().waitFor()
    await second.goto(await other.link())
    await second.getByText('run-of-other').first().waitFor()
    await first.reload()
    await first.getByText('run-of-one').first().waitFor()
    const { port } = stranger.address() as AddressInfo
    for (const path of ['/', '/api/runs', '/inbox', '/~']) await third.goto(`http://127.0.0.1:${port}${path}`)
    expect(received.length).toBeGreaterThanOrEqual(4)
    expect(received.filter((cookie) => cookie !== undefined)).toEqual([])
    // An address from before, or typed by hand.
    await third.goto(`${one.url}/runs/run-of-one?tab=journal`)
    await third.getByText('run-end').first().waitFor()
    await expect.poll(() => third.title()).toBe('run-of-one · Run · Mandate Studio')
    expect(new URL(third.url()).pathname).toBe(`${one.studio.place}/runs/run-of-one`)
  })

  it('show pages in which no text can become markup', async () => {
    const { link } = await studioWith(SECRET, 'run')
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const answer = await page.goto(await link())
    expect(answer!.headers()['content-security-policy']).toMatch(
      /require-trusted-types-for 'script'; trusted-types 'none'/,
    )
    await expect(page.evaluate("document.body.innerHTML = '<b>x</b>'")).rejects.toThrow(/TrustedHTML/)
  })
})
