import { fileURLToPath } from 'node:url'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { Model } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHROMIUM, bundlePage, launchChromium, servePage } from './chromium.fixture.ts'

type Part = ReturnType<Model['stream']> extends AsyncIterable<infer P> ? P : never

/** A model whose parts come when the test says so; `undefined` ends a call. */
class SpokenModel {
  readonly #parts: (Part | undefined)[] = []
  #wake = (): void => {}
  readonly model: Model

  constructor() {
    const next = async (): Promise<Part | undefined> => {
      while (this.#parts.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
      return this.#parts.shift()
    }
    this.model = {
      ...scripted(['']),
      async *stream() {
        for (let part = await next(); part !== undefined; part = await next()) yield part
        yield { type: 'finish', reason: 'stop' }
      },
    }
  }

  say(text: string): void {
    this.put({ type: 'text-delta', id: 't', text })
  }

  put(...parts: (Part | undefined)[]): void {
    this.#parts.push(...parts)
    this.#wake()
  }
}

const open: (() => unknown)[] = []
let browser: Browser
let script: string

beforeAll(async () => {
  if (CHROMIUM === undefined) return
  ;[browser, script] = await Promise.all([
    launchChromium(),
    bundlePage(fileURLToPath(new URL('chat-page.ts', import.meta.url))),
  ])
}, 60_000)

afterAll(async () => {
  for (const close of open) await close()
  await browser?.close()
})

async function chat(): Promise<{ page: Page; speech: SpokenModel; erased: string[]; service: AgentService }> {
  const speech = new SpokenModel()
  const erased: string[] = []
  const tools = [
    defineTool({
      name: 'erase',
      risk: 'write',
      needsApproval: true,
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      run: ({ path }: { path: string }) => (erased.push(path), 'erased'),
    }),
    defineTool({
      name: 'pick_colour',
      description: 'Lets the user pick a colour in the page.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
      client: true,
    }),
  ]
  const service = new AgentService({ agents: [{ id: 'helper', model: speech.model, tools }] })
  const token = newToken()
  const pages = await servePage(script)
  const identity = { id: 'ana', roles: ['owner'] }
  const server = httpServer(service, { tokens: [{ token, identity }], origins: [pages.origin] })
  const { url } = await server.listen()
  const page = await browser.newPage({ viewport: { width: 640, height: 720 } })
  open.push(
    () => page.close(),
    () => server.close(),
    () => service.stop(),
    () => pages.close(),
  )
  const settings = new URLSearchParams({ api: `${url}/api/chat/helper`, token, id: 'chat-1' })
  await page.goto(`${pages.origin}/#${settings}`)
  return { page, speech, erased, service }
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('input', text)
  await page.click('button[type=submit]')
}

const last = (page: Page, what: string): Promise<string[]> =>
  page.locator('article').last().locator(what).allTextContents()
const status = (page: Page): Promise<string | null> => page.textContent('output')

test.skipIf(CHROMIUM === undefined)(
  'useChat of a page shows text as it is written, asks for approvals, runs its own tools, and goes on after a reload',
  async () => {
    const { page, speech, erased, service } = await chat()
    await say(page, 'Tell me a story.')
    speech.say('Once ')
    await expect.poll(() => last(page, 'p')).toEqual(['Once '])
    speech.say('upon ')
    await expect.poll(() => last(page, 'p')).toEqual(['Once upon '])

    await page.reload()
    await expect.poll(() => last(page, 'p')).toEqual(['Once upon '])
    speech.say('a time.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['Once upon a time.'])
    await expect.poll(() => status(page)).toBe('ready')

    await say(page, 'Erase it.')
    speech.put({ type: 'tool-call', toolCallId: 'c1', name: 'erase', input: { path: '/tmp/x' } }, undefined)
    await page.getByRole('button', { name: 'Approve' }).click()
    speech.say('It is ')
    await expect.poll(() => last(page, 'p')).toEqual(['It is '])
    expect(erased).toEqual(['/tmp/x'])
    await page.reload()
    speech.say('gone.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['It is gone.'])
    expect(await last(page, '.tool')).toEqual(['erase: output-available'])

    await say(page, 'Pick a colour.')
    speech.put({ type: 'tool-call', toolCallId: 'c2', name: 'pick_colour', input: {} }, undefined)
    await page.getByRole('button', { name: 'Blue' }).click()
    speech.say('Blue it is.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['Blue it is.'])
    await expect.poll(() => status(page)).toBe('ready')
    if (process.env['MANDATE_SCREENSHOT'] !== undefined)
      await page.screenshot({ path: process.env['MANDATE_SCREENSHOT'] })

    expect(await page.locator('article.user').count()).toBe(3)
    expect(await page.locator('article.assistant').count()).toBe(3)
    expect((await service.runs()).map(({ state }) => state)).toEqual(['completed', 'completed', 'completed'])
  },
  60_000,
)
