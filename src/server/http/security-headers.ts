/**
 * Answers are data: not to be cached, framed, loaded by pages of other sites or taken for another type. Should one be shown as a page all the same, it
 * can load and run nothing.
 */
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

/** Of files whose names follow from their content: what is under such a name never changes, and holds no data. */
export const IMMUTABLE = 'private, max-age=31536000, immutable'

const OWN_VALUES: Readonly<Record<string, string>> = { 'referrer-policy': 'same-origin', 'cache-control': IMMUTABLE }

/** Of answers that set none of their own. */
const CONTENT_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
const HSTS = 'max-age=31536000'

/** Whether an answer keeps the value that it has: a page with a form names itself to this server and to no other, and files that never change are cached. */
export function keepsOwn(headers: Headers, name: string): boolean {
  return headers.get(name) === OWN_VALUES[name]
}

/** The same answer with the headers that every answer has. */
export function secured(response: Response, request: Request): Response {
  const headers = new Headers(response.headers)
  for (const [name, value] of SECURITY_HEADERS) if (!keepsOwn(headers, name)) headers.set(name, value)
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', CONTENT_POLICY)
  if (request.url.startsWith('https:')) headers.set('strict-transport-security', HSTS)
  const { status, statusText } = response
  return new Response(response.body, { status, statusText, headers })
}
