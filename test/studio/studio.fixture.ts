import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { httpServer, studioPart } from '../../src/server/index.ts'
import type { Part } from '../../src/server/index.ts'
import { launchChromium } from '../browser/chromium.fixture.ts'

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

interface StudioSetup {
  /** What it is over; the demonstration where nothing is said. */
  readonly service?: () => Promise<AgentService>
  readonly readOnly?: boolean
  /** What the server has besides. */
  readonly parts?: readonly Part[]
  readonly context?: BrowserContextOptions
}

/** A browser, a service and the studio over it: what every test of the page begins with. */
export class StudioInBrowser {
  browser!: Browser
  context!: BrowserContext
  service!: AgentService
  served!: ServedStudio

  async start({ service = demoService, readOnly = false, parts = [], context = {} }: StudioSetup = {}): Promise<this> {
    ;[this.browser, this.service] = await Promise.all([launchChromium(), service()])
    this.served = await serveStudio(this.service, 0, { readOnly, parts })
    this.context = await this.browser.newContext(context)
    return this
  }

  /** A page of it that is signed in, at a place. */
  open(path = '/'): ReturnType<typeof openStudio> {
    return openStudio(this.context, this.served, path)
  }

  /** What was started, also when only a part of it was. */
  async close(): Promise<void> {
    await this.browser?.close()
    await this.served?.close()
    await this.service?.stop()
  }
}

/** One of these for all tests of a file or a group: started before the first of them, closed behind the last. */
export function useStudio(setup: StudioSetup = {}): StudioInBrowser {
  const studio = new StudioInBrowser()
  beforeAll(async () => void (await studio.start(setup)), 180_000)
  afterAll(() => studio.close())
  return studio
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
