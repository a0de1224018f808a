import { fileURLToPath } from 'node:url'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { Model, ModelRequest } from 'mandate/model'
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
  readonly asked: ModelRequest[] = []

  constructor() {
    const { asked } = this
    const next = async (): Promise<Part | undefined> => {
      while (this.#parts.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve))
      return this.#parts.shift()
    }
    this.model = {
      ...scripted(['']),
      async *stream(request) {
        asked.push(request)
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

/** A picture of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

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

async function chat(): Promise<{
  page: Page
  tab: () => Promise<Page>
  speech: SpokenModel
  erased: string[]
  service: AgentService
}> {
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
  open.push(
    () => server.close(),
    () => service.stop(),
    () => pages.close(),
  )
  const settings = new URLSearchParams({ api: `${url}/api/chat/helper`, token, id: 'chat-1' })
  const tab = async (): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 640, height: 720 } })
    open.unshift(() => page.close())
    await page.goto(`${pages.origin}/#${settings}`)
    return page
  }
  return { page: await tab(), tab, speech, erased, service }
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('input[name=text]', text)
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

test.skipIf(CHROMIUM === undefined)(
  'useChat stops and repeats an answer, denies a call with a reason, sends pictures, shows thoughts and failures, and is one chat in two tabs',
  async () => {
    const { page, tab, speech, erased, service } = await chat()
    const states = async (): Promise<string[]> => (await service.runs()).map(({ state }) => state).toReversed()
    await say(page, 'Tell me a story.')
    speech.put({ type: 'reasoning-delta', id: 'r', text: 'A short one.' })
    speech.say('Once upon ')
    await expect.poll(() => last(page, 'p')).toEqual(['Once upon '])
    expect(await last(page, 'blockquote')).toEqual(['A short one.'])

    const other = await tab()
    await expect.poll(() => last(other, 'p')).toEqual(['Once upon '])
    await say(other, 'Faster!')
    await expect.poll(() => status(other)).toContain('is being answered')
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(states).toEqual(['cancelled'])
    await expect.poll(() => status(page)).toBe('ready')
    expect(await last(page, 'p')).toEqual(['Once upon '])

    await page.getByRole('button', { name: 'Again' }).click()
    speech.say('There was a king.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['There was a king.'])
    await expect.poll(() => status(page)).toBe('ready')
    expect(await page.locator('article').count()).toBe(2)
    expect(JSON.stringify(speech.asked.at(-1)!.messages)).not.toContain('Once upon')

    await say(page, 'Erase it.')
    speech.put({ type: 'tool-call', toolCallId: 'c1', name: 'erase', input: { path: '/tmp/x' } }, undefined)
    await page.getByRole('button', { name: 'Deny' }).click()
    speech.say('Then on Monday.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['Then on Monday.'])
    expect(JSON.stringify(speech.asked.at(-1)!.messages)).toContain('Not on a Friday.')
    expect(erased).toEqual([])
    await expect.poll(() => status(page)).toBe('ready')
    await page.reload()
    await expect.poll(() => last(page, '.tool')).toEqual(['erase: output-denied'])

    await page.setInputFiles('input[type=file]', {
      name: 'dot.png',
      mimeType: 'image/png',
      buffer: Buffer.from(DOT, 'base64'),
    })
    await say(page, 'What is this?')
    speech.put({ type: 'error', message: 'The provider is overloaded.', code: 'MODEL_FAILED' } as never)
    await expect.poll(() => status(page)).toBe('error: The provider is overloaded.')
    expect(speech.asked.at(-1)!.messages.at(-1)!.content).toContainEqual(
      expect.objectContaining({ type: 'image', mediaType: 'image/png' }),
    )
    await page.getByRole('button', { name: 'Again' }).click()
    speech.say('A dot.')
    speech.put(undefined)
    await expect.poll(() => last(page, 'p')).toEqual(['A dot.'])
    await page.reload()
    await expect.poll(() => last(page, 'p')).toEqual(['A dot.'])
    expect(await page.locator('img').getAttribute('alt')).toBe('dot.png')
  },
  60_000,
)
