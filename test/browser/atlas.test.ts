import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ProviderRequest, ProviderResponseChunk } from 'mandate/chat'
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, bundlePage, launchChromium, servePage } from './chromium.fixture.ts'

/** Answers a page on another origin, as a service of models would. */
function answer(request: ProviderRequest, response: ServerResponse): void {
  const say = (...chunks: readonly ProviderResponseChunk[]): void =>
    chunks.forEach((chunk) => response.write(`${JSON.stringify(chunk)}\n`))
  const { role, content } = request.messages.at(-1)!
  if (content === 'Fail.') return void response.writeHead(400).end('no such model')
  if (content === 'Hang.') return say({ type: 'text', text: 'Hm' })
  if (role === 'tool') say({ type: 'text', text: 'It is ' }, { type: 'text', text: `${content}.` })
  else if (content === 'Who are you?') say({ type: 'text', text: `I am ${request.model}.` })
  else
    say(
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_call', toolCall: { id: 'k', name: 'time', arguments: {} } },
    )
  say({ type: 'done' })
  response.end()
}

async function models(): Promise<{ readonly url: string; readonly cut: Promise<void>; readonly prompts: unknown[] }> {
  const prompts: unknown[] = []
  let tell = (): void => {}
  const cut = new Promise<void>((resolve) => (tell = resolve))
  const server = createServer((incoming, response) => {
    response.setHeader('access-control-allow-origin', '*')
    void readText(incoming).then((body) => {
      const request = JSON.parse(body) as ProviderRequest
      prompts.push(request.messages[0])
      if (request.messages.at(-1)!.content === 'Hang.') response.on('close', () => tell())
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cut, prompts }
}

test.skipIf(CHROMIUM === undefined)(
  'Atlas runs in a browser, with a provider over fetch',
  { timeout: 60_000 },
  async () => {
    const [{ url, cut, prompts }, browser, script] = await Promise.all([
      models(),
      launchChromium(),
      bundlePage(fileURLToPath(new URL('atlas-page.ts', import.meta.url))),
    ])
    onTestFinished(() => browser.close())
    expect(script).not.toMatch(/from ["']node:/)
    const site = await servePage(script)
    onTestFinished(() => site.close())
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(error.message))
    await page.goto(site.origin)
    await page.waitForFunction('globalThis.converse !== undefined')
    const seen = await page.evaluate(`globalThis.converse(${JSON.stringify(url)})`)
    expect(seen).toMatchObject({
      pieces: ['Let me see.', '\nIt is ', 'noon.'],
      asked: 'I am other.',
      cut: { content: [{ text: 'Hm' }], metadata: { cancelled: true } },
      failure: expect.stringContaining('ProviderError: no such model'),
      said: [
        'What time is it?',
        '',
        '',
        'Let me see.\nIt is noon.',
        'Who are you?',
        'I am other.',
        'Hang.',
        'Hm',
        'Fail.',
      ],
      events: [
        ...['message:sent', 'stream:start', 'tool:called', 'tool:result', 'stream:end', 'message:received'],
        ...['message:sent', 'message:received'],
        ...['message:sent', 'stream:start', 'stream:end', 'message:received'],
        ...['message:sent', 'error'],
      ],
    })
    await cut
    expect(prompts[0]).toEqual({ role: 'system', content: 'Be kind.' })
    expect(problems).toEqual([])
  },
)
