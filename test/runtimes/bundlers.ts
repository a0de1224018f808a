import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { build } from 'vite'
import { CHROMIUM, launchChromium } from '../browser/chromium.fixture.ts'
import { programOf, VERSIONS } from './installed.ts'
import type { Project } from './project.ts'
import type { StepResult } from './steps.ts'

const root = join(import.meta.dirname, '../..')
const EXAMPLE = join(root, 'examples/next-chat')

/** What the bundled program prints: a chat that asks for an approval and ends, and the commands for what is not installed. */
const PRINTED = JSON.stringify([
  ...[200, true, 'Paid.'],
  ['@modelcontextprotocol/server', '@modelcontextprotocol/client', 'pg'].map((name) => `npm install ${name}`),
])

const applications = new Map<Project, string | undefined>()

/** An application with the page and the route of the example, and the packages that these import; nothing where they cannot be installed. */
function applicationOf(project: Project): string | undefined {
  if (!applications.has(project)) applications.set(project, install(project))
  return applications.get(project)
}

function install({ folder, tarball }: Project): string | undefined {
  const app = join(folder, '../app')
  mkdirSync(app)
  cpSync(join(EXAMPLE, 'app'), join(app, 'app'), { recursive: true })
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }\n')
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  const named = ['ai', '@ai-sdk/react', 'react', 'react-dom', 'zod', '@types/node', '@types/react']
  const exact = named.map((name) => `${name}@${devDependencies[name]}`)
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--save-exact']
  const args = ['install', ...flags, tarball, VERSIONS.next, VERSIONS.esbuild, VERSIONS.typescript5, ...exact]
  const { status } = spawnSync('npm', args, { cwd: app, stdio: ['ignore', 'ignore', 'inherit'] })
  return status === 0 ? app : undefined
}

interface Ran {
  readonly status: number | null
  readonly text: string
}

function run(program: string, args: readonly string[], cwd: string): Ran {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' }
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env, timeout: 600_000 })
  return { status, text: stdout + stderr }
}

/** Bundles a program, and runs it beside the packages of the application. */
export async function inBundle(
  project: Project,
  bundler: 'esbuild, esm' | 'esbuild, cjs' | 'bun' | 'vite',
): Promise<StepResult> {
  const app = applicationOf(project)
  const bun = bundler === 'bun' ? programOf('bun') : ''
  if (app === undefined || bun === undefined) return { skipped: `${bundler} could not be installed` }
  const source = readFileSync(join(import.meta.dirname, 'bundled-program.ts'), 'utf8')
  writeFileSync(join(app, 'program.mjs'), stripTypeScriptTypes(source))
  const format = bundler.endsWith('cjs') ? 'cjs' : 'esm'
  const out = `out/${bundler.split(',')[0]}.${format === 'cjs' ? 'cjs' : 'mjs'}`
  if (bundler === 'vite') await bundleForServer(app, 'program.mjs', out)
  else {
    const [program, args] =
      bundler === 'bun'
        ? [bun, ['build', 'program.mjs', '--target=node', `--outfile=${out}`]]
        : [
            join(app, 'node_modules/.bin/esbuild'),
            ['program.mjs', '--bundle', '--platform=node', `--format=${format}`, `--outfile=${out}`],
          ]
    const made = run(program, args, app)
    if (made.status !== 0) return { failure: made.text }
  }
  const { text } = run(process.execPath, ['--disable-warning=ExperimentalWarning', out], app)
  return text.trim() === PRINTED ? { ok: true, note: 'a program with a store' } : { failure: text }
}

/** A bundle for Node with everything in it: what Vite leaves outside by default would not show what it makes of it. */
async function bundleForServer(app: string, entry: string, out: string): Promise<void> {
  const [outDir, entryFileNames] = [join(app, out, '..'), out.split('/').at(-1)!]
  await build({
    root: app,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: { ssr: entry, outDir, emptyOutDir: false, rolldownOptions: { output: { entryFileNames } } },
  })
}

/** `next build` and `next start`, with the example's page in a browser. */
export async function inNext(project: Project, bundler: 'turbopack' | 'webpack'): Promise<StepResult> {
  const app = applicationOf(project)
  if (app === undefined) return { skipped: 'next could not be installed' }
  if (CHROMIUM === undefined) return { skipped: 'chromium is not installed' }
  const next = join(app, 'node_modules/next/dist/bin/next')
  const built = run(process.execPath, [next, 'build', `--${bundler}`], app)
  if (built.status !== 0) return { failure: built.text }
  if (/warning/i.test(built.text)) return { failure: built.text }
  return servedFrom(app, [next, 'start', '-H', '127.0.0.1', '-p', '0'])
}

const SERVER = `import { createServer } from 'node:http'
import { readFileSync } from 'node:fs'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import Page from './app/page.tsx'
import * as route from './app/api/chat/[...path]/route.ts'
const script = readFileSync('out/page.js')
const server = createServer(async (request, response) => {
  if (request.url === '/page.js') return response.setHeader('content-type', 'text/javascript').end(script)
  if (!request.url.startsWith('/api/'))
    return response.setHeader('content-type', 'text/html').end(
      '<!doctype html><div id="root">' + renderToString(createElement(Page)) + '</div><script type="module" src="/page.js"></script>',
    )
  const chunks = await request.toArray()
  const body = chunks.length === 0 ? null : Buffer.concat(chunks)
  const url = 'http://' + request.headers.host + request.url
  const answer = await route[request.method](new Request(url, { method: request.method, headers: request.headers, body }))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) response.write(chunk)
  response.end()
})
server.listen(0, '127.0.0.1', () => console.log('Local: http://127.0.0.1:' + server.address().port))
`

const CLIENT = `import { createElement } from 'react'
import { hydrateRoot } from 'react-dom/client'
import Page from './app/page.tsx'
hydrateRoot(document.getElementById('root'), createElement(Page))
`

/** The same page and route in a server that Vite bundles (SSR), with a page that it bundles for the browser. */
export async function inViteServer(project: Project): Promise<StepResult> {
  const app = applicationOf(project)
  if (app === undefined) return { skipped: 'the application could not be installed' }
  if (CHROMIUM === undefined) return { skipped: 'chromium is not installed' }
  writeFileSync(join(app, 'client.js'), CLIENT)
  writeFileSync(join(app, 'server.js'), SERVER)
  await build({
    root: app,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: join(app, 'out'),
      emptyOutDir: false,
      rolldownOptions: { input: 'client.js', output: { entryFileNames: 'page.js', codeSplitting: false } },
    },
  })
  await bundleForServer(app, 'server.js', 'out/server.mjs')
  return servedFrom(app, ['--disable-warning=ExperimentalWarning', 'out/server.mjs'])
}

/** Starts a server that prints its address, goes through the chat, and ends the server. */
async function servedFrom(app: string, args: readonly string[]): Promise<StepResult> {
  rmSync(join(app, '.mandate'), { recursive: true, force: true })
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1' }
  const server = spawn(process.execPath, [...args], { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  server.stderr.on('data', (chunk) => (said += String(chunk)))
  const ended = once(server, 'close')
  try {
    const origin = await new Promise<string>((resolve, reject) => {
      server.once('close', () => reject(new Error(said)))
      server.stdout.on('data', (chunk) => {
        said += String(chunk)
        const found = /Local:\s+(http:\/\/\S+)/.exec(said)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    await chatThrough(origin)
    const hasStore = existsSync(join(app, '.mandate/journal.db'))
    return hasStore ? { ok: true, note: 'useChat with an approval in Chromium' } : { failure: 'There is no store.' }
  } catch (error) {
    return { failure: `${String(error)}\n${said}` }
  } finally {
    server.kill()
    await ended
  }
}

/** Asks, approves, and reloads: what a person does on the page of the example. */
async function chatThrough(origin: string): Promise<void> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(origin)
    await page.getByRole('button', { name: 'Ask' }).click()
    await page.getByText('refund {"order":"A-17"}').last().waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Order A-17 is paid back.').last().waitFor()
    await page.reload()
    await page.getByText('Order A-17 is paid back.').last().waitFor()
  } finally {
    await browser.close()
  }
}
