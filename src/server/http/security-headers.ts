/** Headers of every response. Responses are data: they must not be cached, framed, loaded by pages of other sites or interpreted as another type. */
export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-embedder-policy', 'require-corp'],
  ['referrer-policy', 'no-referrer'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), clipboard-read=()'],
  ['cache-control', 'no-store'],
]

/** The cache policy of files whose names contain a hash of their content: such a file never changes, and contains no user data. */
export const IMMUTABLE = 'private, max-age=31536000, immutable'

const OWN_VALUES: Readonly<Record<string, string>> = { 'referrer-policy': 'same-origin', 'cache-control': IMMUTABLE }

/** The policy of responses that set none of their own: a response that is displayed as a page can load and run nothing. */
const CONTENT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
const HSTS = 'max-age=31536000'

/** Returns whether a response keeps its own header value: a page with a form sends its referrer to this server only, and immutable files are cached. */
export function keepsOwn(headers: Headers, name: string): boolean {
  return headers.get(name) === OWN_VALUES[name]
}

/** Returns the response with the headers that every response has. */
export function secured(response: Response, request: Request): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of SECURITY_HEADERS) if (!keepsOwn(headers, name)) headers.set(name, value)
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', CONTENT_POLICY)
  if (request.url.startsWith('https:')) headers.set('strict-transport-security', HSTS)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
