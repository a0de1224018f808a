import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import type { AgentService } from '../../src/agent/index.ts'
import { httpServer, studioPart } from '../../src/server/index.ts'
import type { Part } from '../../src/server/index.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, '.cache/studio')
const SECRET = 'a secret of tests, long enough to sign with'

/** Builds the page unless what is built is newer than its sources. */
export function builtStudio(folder: string = FOLDER): string {
  const { stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/build-studio.mjs'), folder], { encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return folder
}

export interface ServedStudio {
  readonly url: string
  readonly port: number
  readonly link: string
  close(): Promise<unknown>
}

/** The studio over a service, on a free port or on a given one. */
export async function serveStudio(
  service: AgentService,
  port = 0,
  { readOnly = false, parts = [] }: { readonly readOnly?: boolean; readonly parts?: readonly Part[] } = {},
): Promise<ServedStudio> {
  const studio = studioPart({
    folder: builtStudio(),
    secret: SECRET,
    identity: service.identity,
    readOnly,
  })
  const server = httpServer(service, {
    authenticate: studio.authenticate,
    parts: [studio, ...parts],
    readOnly,
    limits: { closeMs: 500 },
  })
  const listening = await server.listen({ port })
  return {
    url: listening.url,
    port: listening.port,
    link: await studio.link(listening.url),
    close: () => server.close(),
  }
}

/** A page that is signed in, at a place. What goes wrong in its scripts fails the test that asks for `faults`. */
export async function openStudio(
  context: BrowserContext,
  { url, link }: ServedStudio,
  path = '/',
): Promise<Page & { readonly faults: string[] }> {
  const faults: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text()))
      faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`)
  })
  // Cookies belong to a host, whatever its port: one visit signs in for all servers of a test.
  if ((await context.cookies()).length === 0) await page.goto(link)
  await page.goto(`${url}${path}`)
  return Object.assign(page, { faults })
}
