import type { Json } from '../../core/index.ts'

/** What a server wants to know from a person in the middle of a call. Its words are not trusted: show who asks. */
export interface McpQuestion {
  readonly server: string
  readonly message: string
  /** A form: a JSON Schema of flat fields. */
  readonly schema?: Json | undefined
  /** A page that the person shall visit; always https. Show its host. */
  readonly url?: string | undefined
}

export interface McpAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: { readonly [field: string]: string | number | boolean | readonly string[] } | undefined
}

/** Puts a question to a person. */
export type McpElicit = (question: McpQuestion) => Promise<McpAnswer>

const MESSAGE_MAX = 2_000

/** The question in a request of the server; `undefined` where it must not be put. */
export function questionIn(params: { readonly [field: string]: unknown }, server: string): McpQuestion | undefined {
  const message = typeof params['message'] === 'string' ? params['message'].slice(0, MESSAGE_MAX) : ''
  if (params['mode'] !== 'url') return { server, message, schema: (params['requestedSchema'] ?? null) as Json }
  const url = typeof params['url'] === 'string' ? URL.parse(params['url']) : null
  // Any other scheme could run something on the machine of whoever follows it.
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  return { server, message, url: url.href }
}
