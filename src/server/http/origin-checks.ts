import { Refusal } from './error-answers.ts'

export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const HOST = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[1-9]\d{0,4})?$/i

/**
 * Refuses requests for other hosts, which prevents DNS rebinding: a page of another site can make its own name resolve to this machine, but cannot make the
 * browser send another Host. A name with a trailing dot counts as another name.
 */
export function checkHost(request: Request, hosts: readonly string[]): void {
  const given = request.headers.get('host') ?? new URL(request.url).host
  const [, name] = HOST.exec(given) ?? []
  if (name === undefined) throw new Refusal(400, 'INPUT_INVALID', 'The Host header is not that of one host.')
  const full = given.toLowerCase()
  if (!hosts.some((host) => host === name.toLowerCase() || host === full))
    throw new Refusal(
      421,
      'DENIED',
      'This server is not reached under that host name. Add it to `hosts` of the server if it shall be.',
    )
}

/** Returns the origin of a request if it is listed, and `undefined` for the server's own origin or none. Refuses pages of other origins. */
export function checkOrigin(request: Request, origins: readonly string[], isOpen: boolean): string | undefined {
  const origin = request.headers.get('origin')
  if (origin !== null) {
    if (isOwnOrigin(request, origin)) return undefined
    if (origins.includes(origin)) return origin
    throw otherSite()
  }
  // Links, forms and images of other sites send no Origin. Only browsers send this header.
  const site = request.headers.get('sec-fetch-site')
  if (!isOpen && site !== null && site !== 'same-origin' && site !== 'none') throw otherSite()
  return undefined
}

/** Returns whether an origin is that of this server. A proxy may have terminated TLS, so the same host over https counts as well; the reverse does not. */
function isOwnOrigin(request: Request, origin: string): boolean {
  const { protocol, host } = new URL(request.url)
  const own = request.headers.get('host') ?? host
  return origin === `${protocol}//${own}` || origin === `https://${own}`
}

function otherSite(): Refusal {
  return new Refusal(
    403,
    'DENIED',
    'Pages of this origin may not call the server. Add it to `origins` of the server if they shall.',
  )
}

const ALLOWED_HEADERS = ['authorization', 'content-type', 'idempotency-key', 'last-event-id']
const HEADER_NAME = /^[a-z0-9-]{1,64}$/
const HEADERS_MAX = 32
/** Response headers that pages can read, besides those that browsers always expose. */
const EXPOSED_HEADERS = 'location, mcp-session-id, retry-after, www-authenticate, x-mandate-run, x-should-retry'
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE'
const PREFLIGHT_SECONDS = '600'

/**
 * Answers a CORS preflight request. A page of a listed origin may send any header, because clients of OpenAI, MCP and telemetry have headers of their own.
 */
export function preflight({ headers: asked }: Request, origin: string | undefined): Response {
  if (origin === undefined)
    return new Response(null, { status: 204, headers: { allow: `${ALLOWED_METHODS}, OPTIONS` } })
  const others = (asked.get('access-control-request-headers') ?? '')
    .split(/\s*,\s*/)
    .filter((name) => HEADER_NAME.test(name))
  const headers = {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-allow-headers': [...new Set([...ALLOWED_HEADERS, ...others])].slice(0, HEADERS_MAX).join(', '),
    'access-control-max-age': PREFLIGHT_SECONDS,
    vary: 'Origin, Access-Control-Request-Headers',
  }
  return new Response(null, { status: 204, headers })
}

/** Adds the CORS headers that let a page of a listed origin read the response. */
export function readableBy(response: Response, origin: string | undefined): Response {
  if (origin === undefined) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-expose-headers', EXPOSED_HEADERS)
  response.headers.append('vary', 'Origin')
  return response
}
