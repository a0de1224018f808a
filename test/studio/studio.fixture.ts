import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { demoService } from '../../src/cli/studio/demo.ts'
import { Conversations } from '../../src/chat/index.ts'
import { conversationPart, httpServer, studioPart } from '../../src/server/index.ts'
import type { Part } from '../../src/server/index.ts'
import type { Studio } from '../../src/server/studio/studio-part.ts'
import { scripted } from '../../src/model/index.ts'
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
  /** The address of its pages and of what they ask: the origin with the place of the studio. */
  readonly url: string
  readonly origin: string
  readonly port: number
  /** A link that signs one browser in. */
  link(): Promise<string>
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
    parts: [studio, conversationPart(service, new Conversations(service)), ...parts],
    readOnly,
    limits: { closeMs: 500 },
  })
  const listening = await server.listen({ port })
  return {
    url: `${listening.url}${studio.place}`,
    origin: listening.url,
    port: listening.port,
    link: () => studio.link(listening.url),
    close: () => server.close(),
  }
}

/** A studio with a secret of its own, over a service with one run. */
export async function studioWith(
  secret: string,
  run: string,
): Promise<{ readonly studio: Studio; readonly url: string; link(): Promise<string> }> {
  const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
  await service.run('greeter', 'Hi.', { runId: run })
  const studio = studioPart({ folder: builtStudio(), secret, identity: service.identity })
  const server = httpServer(service, { authenticate: studio.authenticate, parts: [studio], limits: { closeMs: 500 } })
  const { url } = await server.listen({ port: 0 })
  onTestFinished(async () => {
    await server.close()
    await service.stop()
  })
  return { studio, url, link: () => studio.link(url) }
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

/** The path of a page within its studio. */
export function pathOf(page: Page): string {
  return withoutPlace(page.url())
}

/** The path of an address, without the place of its studio. */
export function withoutPlace(url: string): string {
  return new URL(url).pathname.replace(/^\/~[^/]+/, '')
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
  served: ServedStudio,
  path = '/',
): Promise<Page & { readonly faults: string[] }> {
  const { url, origin } = served
  const faults: string[] = []
  const page = await context.newPage()
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Uncaught/.test(message.text()))
      faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`)
  })
  // The cookie belongs to the place: one visit signs in for all servers with the same secret.
  if ((await context.cookies(`${url}/`)).length === 0) await page.goto(await served.link())
  await page.goto(`${url}${path}`)
  return Object.assign(page, { faults })
}
