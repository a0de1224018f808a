import { VERSION, checkFields } from '../../core/index.ts'
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
  /** Where the built page is. */
  readonly folder: string
  /** Signs tickets and cookies: at least 32 random characters, the same after a restart. */
  readonly secret: string
  /** In whose name the page acts. */
  readonly identity: Identity
  /** The server takes no changes: buttons say so before they are pressed. */
  readonly readOnly?: boolean | undefined
  /** Where the runs are kept, in words: `SQLite, .mandate/mandate.db`. */
  readonly store?: string | undefined
  /** The file that the agents come from, for the commands that the page names. */
  readonly file?: string | undefined
}

const OPTIONS: FieldNames<StudioOptions> = {
  folder: true,
  secret: true,
  identity: true,
  readOnly: true,
  store: true,
  file: true,
}

/** The page, what it needs of the server beyond the API, and how a browser signs in. */
export interface Studio extends Part {
  /** The link that signs a browser in and opens the page. */
  readonly link: (url: string) => Promise<string>
  /** For `authenticate` of the server. */
  readonly authenticate: (request: Request) => Promise<Identity | undefined>
}

const TEXT = { type: 'string' }
const RUN_PAGE = '/runs/{runId}'
/** Any other: the page says itself that there is none of that name. */
const NO_PAGE = '/{page}'

/** Pages of the studio: each is the one page, which reads its address. */
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

/** What addresses of the page may say behind the question mark: a link leads to exactly what was looked at. */
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

/** The studio as a part of an HTTP server. */
export function studioPart(options: StudioOptions): Studio {
  checkFields(options, 'an option of `studioPart`', OPTIONS)
  const { folder, secret, identity, readOnly = false, store = 'in memory', file: source } = options
  const files = new StudioFiles(folder)
  const session = new StudioSession(secret, identity)
  const { authenticate } = session
  const file = (path: string, answer: (name: string) => Response): Route => ({
    method: 'GET',
    path,
    summary: 'A file of the studio.',
    tag: 'studio',
    access: 'identity',
    answer: { status: 200, type: 'application/octet-stream' },
    handle: async ({ params }) => answer(params['file'] ?? ''),
  })
  return {
    authenticate,
    link: (url) => session.link(url),
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
                headers: path === RUN_PAGE ? { link: ahead(files, request) } : {},
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

/** What the page has to know of the server that gave it out. */
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

/** What the page of a run needs, named with the page: its code and the first entries come at the same time. */
function ahead(files: StudioFiles, request: Request): string {
  const { pathname } = new URL(request.url)
  return `<${outlinePath(pathname.slice('/runs/'.length))}>; rel=preload; as=fetch; crossorigin, ${files.preload('src/pages/run/run.tsx')}`
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

async function opened(session: StudioSession, request: Request): Promise<Response> {
  const { searchParams, protocol } = new URL(request.url)
  const cookie = await session.cookieFor(searchParams.get('ticket') ?? '', protocol === 'https:')
  return cookie === undefined
    ? notSignedIn()
    : new Response(null, { status: 302, headers: { location: '/', 'set-cookie': cookie } })
}
