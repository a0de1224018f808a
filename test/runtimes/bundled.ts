import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { CHROMIUM, launchChromium, servePage } from '../browser/chromium.fixture.ts'
import { installed } from './installed.ts'
import type { Project } from './project.ts'
import type { StepResult } from './steps.ts'
import { ANSWERED, askServer } from './server-smoke.ts'

interface Chunk {
  readonly path: string
  readonly contents: string
}

/** Scripts of everything that a module of the project imports, as bundlers for browsers and edge runtimes make them; the first is where it begins. */
async function bundle(file: string, conditions: readonly string[], codeSplitting: boolean): Promise<readonly Chunk[]> {
  const build = await rolldown({
    input: file,
    platform: 'browser',
    resolve: { conditionNames: [...conditions, 'import', 'default'] },
    // Modules of Node stay imports: a runtime without them shows whether one is really reached.
    external: [/^node:/],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  })
  const { output } = await build.generate({ format: 'esm', minify: false, codeSplitting })
  await build.close()
  return output.flatMap((one) => (one.type === 'chunk' ? [{ path: one.fileName, contents: one.code }] : []))
}

/** A server lives in a Durable Object: what one request of a worker has opened, such as a signal, cannot be used by another one. */
const WORKER = `import { coreSmoke } from './core-smoke.js'
import { smokeServer } from './server-smoke.js'
export class Host {
  server = smokeServer()
  fetch(request) {
    return this.server.fetch(request)
  }
}
export default {
  async fetch(request, { HOST }) {
    if (new URL(request.url).pathname === '/core') return Response.json(await coreSmoke())
    return HOST.get(HOST.idFromName('host')).fetch(request)
  },
}
`

interface Miniflare {
  dispatchFetch(url: string, init?: object): Promise<Response>
  dispose(): Promise<void>
}

/** The core rooms and the handler of the server in workerd, the runtime of Cloudflare Workers. */
export async function inWorkerd(project: Project): Promise<StepResult> {
  const folder = installed('miniflare')
  if (folder === undefined) return { skipped: 'miniflare could not be installed' }
  const found = createRequire(join(folder, 'package.json')).resolve('miniflare')
  const { Miniflare } = (await import(pathToFileURL(found).href)) as { Miniflare: new (options: object) => Miniflare }
  // What is loaded at its first use stays apart: optional packages that are not installed are imported there.
  const chunks = await bundle(project.write('worker.js', WORKER), ['workerd', 'worker'], true)
  const worker = new Miniflare({
    modules: chunks.map((chunk) => ({ type: 'ESModule', ...chunk })),
    compatibilityDate: '2026-07-01',
    durableObjects: { HOST: 'Host' },
    compatibilityFlags: ['nodejs_compat'],
  })
  try {
    const core = (await (await worker.dispatchFetch('http://127.0.0.1/core')).json()) as { failures: readonly string[] }
    if (core.failures.length > 0) return { failure: core.failures.join('\n') }
    const said = await askServer(async (request) => {
      const { url, method, headers } = request
      const body = method === 'GET' ? undefined : await request.text()
      return worker.dispatchFetch(url, { method, headers: Object.fromEntries(headers), body })
    }, 'http://127.0.0.1')
    return said === ANSWERED ? { ok: true, note: 'core rooms, the server handler' } : { failure: said }
  } catch (error) {
    return { failure: String(error) }
  } finally {
    await worker.dispose()
  }
}

const PAGE = `import { coreSmoke } from './core-smoke.js'
globalThis.smoke = coreSmoke
`

/** The core rooms on a page of a real browser. */
export async function inBrowser(project: Project): Promise<StepResult> {
  if (CHROMIUM === undefined) return { skipped: 'chromium is not installed' }
  const [chunk] = await bundle(project.write('page.js', PAGE), ['browser'], false)
  const script = chunk!.contents
  if (/from ["']node:/.test(script)) return { failure: 'The bundle imports modules of Node.' }
  const [browser, site] = await Promise.all([launchChromium(), servePage(script)])
  try {
    const page = await browser.newPage()
    await page.goto(site.origin)
    await page.waitForFunction('globalThis.smoke !== undefined')
    const { rooms, failures } = (await page.evaluate('globalThis.smoke()')) as { rooms: string[]; failures: string[] }
    if (failures.length > 0) return { failure: failures.join('\n') }
    return { ok: true, note: `${rooms.length} groups of core rooms in Chromium ${browser.version()}` }
  } finally {
    await Promise.all([browser.close(), site.close()])
  }
}
