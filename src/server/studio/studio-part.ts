import { checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Part, Route } from '../http/route.ts'
import { compareRoute } from './comparison.ts'
import { costsRoute } from './costs.ts'
import { outlineRoute } from './outline.ts'
import { promptRunsRoute } from './prompt-runs.ts'
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
}

const OPTIONS: FieldNames<StudioOptions> = { folder: true, secret: true, identity: true, readOnly: true }

/** The page, what it needs of the server beyond the API, and how a browser signs in. */
export interface Studio extends Part {
  /** The link that signs a browser in and opens the page. */
  readonly link: (url: string) => Promise<string>
  /** For `authenticate` of the server. */
  readonly authenticate: (request: Request) => Promise<Identity | undefined>
}

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
  '/runs/{runId}',
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

const NOT_SIGNED_IN = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Mandate Studio</title>
<h1>This browser is not signed in</h1>
<p>Open the link that <code>mandate studio</code> or <code>mandate serve</code> printed when it started. It works for ten minutes; start the command again for a new one.</p></html>`

/** The studio as a part of an HTTP server. */
export function studioPart(options: StudioOptions): Studio {
  checkFields(options, 'an option of `studioPart`', OPTIONS)
  const { folder, secret, identity, readOnly = false } = options
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
      infoRoute(readOnly),
      compareRoute,
      costsRoute(),
      promptRunsRoute,
      file('/icon.svg', () => files.answer('icon.svg')),
      file('/assets/{file}', (name) => files.answer(`assets/${name}`)),
      ...PAGES.map((path) =>
        pageRoute(path, async (request) =>
          (await authenticate(request)) === undefined ? notSignedIn() : files.answer('index.html'),
        ),
      ),
      pageRoute('/open', (request) => opened(session, request)),
    ],
  }
}

/** What the page has to know of the server that gave it out. */
function infoRoute(readOnly: boolean): Route {
  return {
    method: 'GET',
    path: '/api/studio',
    summary: 'What the studio may do here.',
    tag: 'studio',
    access: 'identity',
    answer: {
      status: 200,
      schema: { type: 'object', properties: { readOnly: { type: 'boolean' } }, required: ['readOnly'] },
    },
    handle: async () => ({ readOnly }),
  }
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

function notSignedIn(): Response {
  return new Response(NOT_SIGNED_IN, { status: 401, headers: { 'content-type': 'text/html; charset=utf-8' } })
}
