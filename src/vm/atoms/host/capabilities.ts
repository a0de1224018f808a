import type { Json } from '../../../core/index.ts'

/** An unchecked value from the host. It is copied and checked before it reaches a program. */
// oxlint-disable-next-line typescript/no-explicit-any -- a capability may give anything; the border takes plain data of it or refuses
type Outside = any

interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface StoreCapability {
  get?(key: string): Outside
  set?(key: string, value: Json): Outside
  query?(query: Json): Outside
  queryPredicate?(predicate: Json, options?: Json): Outside
  vectorSearch?(collection: string, vector: readonly number[], k?: number, filter?: Json): Outside
  createCollection?(collection: string, options?: Json): Outside
  vectorAdd?(collection: string, doc: Json): Outside
}

interface LlmCapability {
  predict?(prompt: Outside, options?: Outside): Outside
  embed?(text: string, model?: string): Outside
  /** A whole request with `system`, `user`, `tools`, `responseFormat`. */
  chat?(request: Json, options?: CallOptions): Outside
  vision?(request: Json, options?: CallOptions): Outside
}

/**
 * Everything that a program can access, provided by the host. A program has no network, store or model unless it is listed here.
 *
 * @example
 * ```ts
 * import type { Capabilities } from 'mandate/vm'
 * const capabilities: Capabilities = { fetch: (url) => fetch(url), llm: { predict: async (prompt: string) => `echo ${prompt}` } }
 * ```
 */
export interface Capabilities {
  readonly fetch?: ((url: string, init?: Outside) => Outside) | undefined
  readonly store?: StoreCapability | undefined
  readonly llm?: LlmCapability | undefined
  readonly agent?: { run(agentId: string, input: Json, options?: Outside): Outside } | undefined
  readonly xml?: { parse(text: string): Outside } | undefined
  readonly code?: { transpile(source: string): Outside } | undefined
  /** Functions that scripts call as `tools.name(input)`. */
  readonly tools?: { readonly [name: string]: (input: Outside, options?: CallOptions) => Outside } | undefined
  readonly [name: string]: Outside
}
