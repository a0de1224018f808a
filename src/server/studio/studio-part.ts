import { VERSION, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { ENTRY_VERSION } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Part, Route } from '../http/route.ts'
import { compareRoute } from './comparison.ts'
import { costsRoute } from './costs.ts'
import { mandatesRoute } from './mandates.ts'
import { outlinePath } from './light-entry.ts'
import { outlineRoute } from './outline.ts'
import { promptRunsRoute } from './prompt-runs.ts'
import { runFactsRoute } from './run-facts.ts'
import { saidRoute } from './said-messages.ts'
import { sampleRunRoute } from './sample-run.ts'
import { notSignedIn } from './sign-in-page.ts'
import { StudioFiles } from './studio-files.ts'
import { StudioSession } from './studio-session.ts'

interface StudioOptions {
  /** The folder of the built page. */
  readonly folder: string
  /** Signs tickets and cookies: at least 32 random characters, the same after a restart. */
  readonly secret: string
  /** The identity in whose name the page acts. */
  readonly identity: Identity
  /** Whether the server refuses changes, so that the page can show it before a button is pressed. */
  readonly readOnly?: boolean | undefined
  /** A description of the store, such as `SQLite, .mandate/mandate.db`. */
  readonly store?: string | undefined
  /** The file that defines the agents, for the commands that the page shows. */
  readonly file?: string | undefined
}

const OPTIONS: FieldNames<StudioOptions> = {
  folder: 'text',
  secret: 'text',
  identity: 'object',
  readOnly: 'flag',
  store: 'text',
  file: 'text',
}

/** The studio page, the routes that it needs beyond the API, and the sign-in of browsers. */
export interface Studio extends Part {
  /** The path under which browsers use it: `/~…`. */
  readonly place: string
  /** Returns the link that signs a browser in and opens the page. */
  readonly link: (url: string) => Promise<string>
  /** Authenticates a request by its place and its cookie, for the option `authenticate` of the server. */
  readonly authenticate: (request: Request) => Promise<Identity | undefined>
}

const TEXT = { type: 'string' }
const RUN_PAGE = '/runs/{runId}'
/** Any other path: the page itself reports that it does not exist. */
const NO_PAGE = '/{page}'

/** The paths of the studio. All of them return the same page, which reads its address. */
const PAGES = [
  '/',
  '/inbox',
  '/compare',
  '/agents',
  '/agents/{agentId}',
  '/costs',
  '/evals',
  '/evals/{evalId}',
  '/workers',
  '/policy',
  '/doctor',
  RUN_PAGE,
  NO_PAGE,
]

/** Query parameters that addresses of the page may contain, so that a link restores the exact view. */
const SEARCHED = [
  'ticket',
  'tab',
  'at',
  'filter',
  'item',
  'a',
  'b',
  'session',
  'tool',
  'in',
  'agent',
  'prompt',
  'version',
  'input',
  'labels',
]

/** Creates the studio as a part of an HTTP server. */
export function studioPart(options: StudioOptions): Studio {
  checkNeeded(options, 'an option of `studioPart`', OPTIONS)
  const { folder, secret, identity, readOnly = false, store = 'in memory', file: source } = options
  const files = new StudioFiles(folder)
  const session = new StudioSession(secret, identity)
  const { authenticate } = session
  // Code without data: anybody may load it, so one address serves all studios and the caches of browsers.
  const file = (path: string, answer: (name: string) => Response): Route => ({
    method: 'GET',
    path,
    summary: 'A file of the studio.',
    tag: 'studio',
    access: 'public',
    answer: { status: 200, type: 'application/octet-stream' },
    handle: async ({ params }) => answer(params['file'] ?? ''),
  })
  return {
    authenticate,
    place: session.place,
    within: (request) => session.within(request),
    link: async (url) => session.link(url),
    routes: [
      outlineRoute,
      infoRoute({ readOnly, store, ...(source === undefined ? {} : { file: source }) }),
      compareRoute,
      costsRoute(),
      runFactsRoute(),
      sampleRunRoute,
      mandatesRoute,
      promptRunsRoute,
      saidRoute,
      file('/icon.svg', () => files.answer('icon.svg')),
      file('/assets/{file}', (name) => files.answer(`assets/${name}`)),
      ...PAGES.map((path) =>
        pageRoute(path, async (request) =>
          (await authenticate(request)) === undefined
            ? notSignedIn()
            : files.answer('index.html', {
                status: path === NO_PAGE ? 404 : 200,
                headers: path === RUN_PAGE ? { link: ahead(files, session.place, request) } : {},
              }),
        ),
      ),
      pageRoute('/open', (request) => opened(session, request)),
    ],
  }
}

interface Told {
  readonly readOnly: boolean
  readonly store: string
  readonly file?: string
}

/** Returns the route with the information that the page needs about its server. */
function infoRoute(told: Told): Route {
  return {
    method: 'GET',
    path: '/api/studio',
    summary: 'What the studio may do here, and what the server is: versions, and where its runs are kept.',
    tag: 'studio',
    access: 'identity',
    answer: {
      status: 200,
      schema: {
        type: 'object',
        properties: {
          readOnly: { type: 'boolean' },
          store: TEXT,
          file: TEXT,
          version: TEXT,
          entryVersion: { type: 'integer' },
          node: TEXT,
          platform: TEXT,
        },
        required: ['readOnly', 'store', 'version', 'entryVersion', 'node', 'platform'],
      },
    },
    handle: async () => ({
      ...told,
      version: VERSION,
      entryVersion: ENTRY_VERSION,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
    }),
  }
}

/** Returns the preload header of a run page, so that its code and its first entries load at the same time. */
function ahead(files: StudioFiles, place: string, request: Request): string {
  const { pathname } = new URL(request.url)
  return `<${place}${outlinePath(pathname.slice('/runs/'.length))}>; rel=preload; as=fetch; crossorigin, ${files.preload('src/pages/run/run.tsx')}`
}

function pageRoute(path: string, answer: (request: Request) => Promise<Response>): Route {
  return {
    method: 'GET',
    path,
    summary: 'A page of the studio.',
    tag: 'studio',
    access: 'public',
    query: { type: 'object', properties: Object.fromEntries(SEARCHED.map((name) => [name, { type: 'string' }])) },
    answer: { status: 200, type: 'text/html' },
    handle: ({ request }) => answer(request),
  }
}

/** Exchanges a ticket for a cookie. A request that only looks at the link, as browsers and previews of links do, does not use the ticket up. */
async function opened(session: StudioSession, { url, method, headers }: Request): Promise<Response> {
  const isLook = method === 'HEAD' || headers.has('sec-purpose') || headers.has('purpose')
  if (isLook) return new Response(null, { status: 503, headers: { 'retry-after': '0' } })
  const { searchParams, protocol } = new URL(url)
  // A proxy that ends TLS says so. To believe it can only make the cookie stricter.
  const isSecure = protocol === 'https:' || headers.get('x-forwarded-proto') === 'https'
  const cookie = await session.cookieFor(searchParams.get('ticket') ?? '', isSecure)
  return cookie === undefined
    ? notSignedIn()
    : new Response(null, { status: 302, headers: { location: `${session.place}/`, 'set-cookie': cookie } })
}
