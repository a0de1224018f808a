import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listTemplates } from '../../src/cli/templates.ts'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { root } from '../tidy/sources.ts'
import { installTarballs } from './tarballs.ts'

let installed: Awaited<ReturnType<typeof installTarballs>>
beforeAll(async () => {
  installed = await installTarballs()
}, 300_000)
afterAll(() => installed?.remove())

/** Requests that leave the machine end at a closed port. */
const { MANDATE_MODEL: _model, NODE_OPTIONS: _options, ...inherited } = process.env
const env = {
  ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !/_API_KEY$|^VITEST|^MANDATE_/.test(name))),
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost,::1',
  NODE_ENV: '',
  // As container tools pass a variable that has no value: it is the same as none.
  MANDATE_MODEL: '',
}

interface Said {
  readonly status: number | null
  readonly said: string
}

function run(folder: string, file: string, ...args: string[]): Said {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

const bin = (path: string): string => join(installed.folder, 'node_modules', path)

describe.each(listTemplates().map(({ name }) => name))('the template %s, from the tarballs', (name) => {
  const folder = (): string => join(installed.folder, `my-${name}`)

  test('is made by create-mandate', () => {
    const { status, said } = run(
      installed.folder,
      bin('create-mandate/create-mandate.js'),
      `my-${name}`,
      '--template',
      name,
    )
    expect([status, said]).toEqual([0, expect.stringContaining(name === 'mcp' ? 'npm run try' : 'npm start')])
  })

  test('passes its tests, its types and its lint', () => {
    expect(run(folder(), '--test')).toMatchObject({ status: 0, said: /fail 0/ })
    expect(run(folder(), bin('typescript/bin/tsc'))).toEqual({ status: 0, said: '' })
    expect(run(folder(), bin('oxlint/bin/oxlint'))).toMatchObject({ status: 0, said: /0 warnings and 0 errors/ })
  })

  test('runs offline', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder(), 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    // What the start script says, word by word; the page of `chat` and the server of `mcp` do not end: the first is opened in a browser below, its own tests start the second.
    const [program, ...words] = [
      ...(name === 'mcp' ? scripts['try']! : scripts['start']!).matchAll(/"((?:[^"\\]|\\.)*)"|\S+/g),
    ].map(([word, quoted]) => quoted?.replaceAll('\\"', '"') ?? word)
    if (name === 'chat') return
    const { status, said } =
      program === 'mandate'
        ? run(folder(), bin('mandate/dist/cli/main.js'), ...words)
        : run(folder(), ...(words as [string]))
    expect(said).toMatch(
      { agent: /mandate approve/, graph: /Publish this\?/, mcp: /deleted n2/, analyst: /north sells most: 360/ }[name]!,
    )
    expect(status).toBe(name === 'agent' || name === 'graph' ? 4 : 0)
  })

  test('is answered by a real provider once MANDATE_MODEL names its model', { timeout: 60_000 }, async () => {
    // The server of `mcp` offers tools, and has no model.
    if (name === 'mcp') return
    const words =
      name === 'graph'
        ? ['graph', 'run', 'flow.rag', '--input', '{"topic":"tea"}']
        : ['run', name === 'analyst' ? 'analyst' : 'support', 'Hello.']
    const { status, said } = await withRealModel(folder(), words)
    // The graph asks before it publishes what the model wrote.
    expect([status, said]).toEqual([name === 'graph' ? 4 : 0, expect.stringContaining('Hello from the model.')])
  })

  test('takes a real model by one variable: without its package or key it says what is missing', () => {
    if (name === 'chat' || name === 'mcp') return
    const main = bin('mandate/dist/cli/main.js')
    const words =
      name === 'graph'
        ? ['graph', 'run', 'flow.rag', '--input', '{"topic":"tea"}']
        : ['run', name === 'agent' ? 'support' : name, 'Hello.']
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words, '--no-input'], {
      cwd: folder(),
      env: { ...env, MANDATE_MODEL: 'openai/gpt-5-mini' },
      encoding: 'utf8',
    })
    expect(`${stdout}${stderr}`).toContain('OPENAI_API_KEY')
    expect(status).not.toBe(0)
  })
})

/** A provider on loopback that speaks as OpenAI does. Its one answer is a text for an agent, and for one that writes code a cell. */
async function providerOnLoopback(): Promise<string> {
  const content = "```js\nanswer('Hello from the model.')\n```"
  const server = createHttpServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
      for (const choice of [
        { index: 0, delta: { role: 'assistant', content }, finish_reason: null },
        { index: 0, delta: {}, finish_reason: 'stop' },
      ])
        response.write(`data: ${JSON.stringify({ ...chunk, choices: [choice] })}\n\n`)
      response.end('data: [DONE]\n\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** The command with a model of that provider, named by nothing but the environment. */
async function withRealModel(folder: string, words: readonly string[]): Promise<Said> {
  const OPENAI_COMPATIBLE_BASE_URL = await providerOnLoopback()
  const child = spawn(process.execPath, [bin('mandate/dist/cli/main.js'), ...words, '--no-input'], {
    cwd: folder,
    env: { ...env, MANDATE_MODEL: 'openai-compatible/m', OPENAI_COMPATIBLE_BASE_URL },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => void (said += data.toString()))
  return new Promise((resolve) => child.once('close', (status) => resolve({ status, said })))
}

/** Starts the chat application as `npm start` does, on a free port, and gives the address that it prints. */
async function startChat(): Promise<string> {
  const child = spawn(process.execPath, ['server.ts'], {
    cwd: join(installed.folder, 'my-chat'),
    env: { ...env, PORT: String(await freePort()) },
  })
  onTestFinished(async () => {
    const gone = new Promise((resolve) => child.once('close', resolve))
    if (child.exitCode === null && child.kill()) await gone
  })
  let said = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => {
        said += data.toString()
        const url = /Chat: (http:\S+)/.exec(said)?.[1]
        if (url !== undefined) resolve(url)
      })
    child.once('close', () => reject(new Error(said)))
  })
}

describe.skipIf(CHROMIUM === undefined)('the page of the template chat, in a browser', () => {
  test(
    'streams an answer, shows calls, asks before it pays, and goes on after a reload',
    { timeout: 120_000 },
    async () => {
      const [url, browser] = await Promise.all([startChat(), launchChromium()])
      onTestFinished(() => browser.close())
      const page = await browser.newPage({ viewport: { width: 900, height: 760 } })
      const wrong: string[] = []
      page.on('pageerror', (error) => wrong.push(error.message))
      page.on(
        'response',
        (response) => void (response.status() >= 400 && wrong.push(`${response.status()} ${response.url()}`)),
      )
      await page.goto(url)
      await page.getByRole('textbox', { name: 'Message' }).fill('I want order A-17 back.')
      await page.keyboard.press('Enter')
      await page.getByText('I look the order up.').waitFor()
      await page.getByRole('heading', { name: 'find_order done' }).waitFor()
      await page.getByRole('heading', { name: 'refund asks for your approval' }).waitFor()
      await picture(page, 'asks')
      await page.reload()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('heading', { name: 'refund done' }).waitFor()
      await page.getByText('Order A-17 was an espresso machine').waitFor()
      await page.emulateMedia({ colorScheme: 'dark' })
      await picture(page, 'paid-dark')
      await page.setViewportSize({ width: 390, height: 760 })
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      await picture(page, 'paid-narrow')
      // A conversation that is not there yet is told by 404 when the page is first opened.
      expect(wrong.filter((one) => !/^404 .*\/api\/chat\/support\//.test(one))).toEqual([])
      await page.evaluate('sessionStorage.clear()')
      await page.reload()
      await page.getByRole('textbox', { name: 'Message' }).fill('I want order A-17 back.')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Deny' }).click()
      await page.getByRole('heading', { name: 'refund denied' }).waitFor()
    },
  )
})

/** Pictures of the page, to look at. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = join(root, '.cache/pictures')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `chat-template-${name}.png`) })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
