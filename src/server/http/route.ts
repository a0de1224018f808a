import type { AgentRun, ServiceAs } from '../../agent/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { Permission } from '../../gate/index.ts'
import type { Identity } from '../../journal/index.ts'

/** A schema in JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = JsonObject

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One operation of the HTTP server. Its input checks, its permissions and its entry in the OpenAPI document are derived from it.
 *
 * @example
 * ```ts
 * import type { Route } from 'mandate/server'
 * const ping: Route = {
 *   method: 'GET',
 *   path: '/api/ping',
 *   summary: 'Answers.',
 *   tag: 'system',
 *   access: 'public',
 *   answer: { status: 200, schema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } },
 *   handle: async () => ({ ok: true }),
 * }
 * ```
 */
export interface Route {
  readonly method: Method
  /** The path, with parameters in braces: `/api/runs/{runId}`. */
  readonly path: string
  readonly summary: string
  /** The group in the OpenAPI document: `runs`, `approvals`. */
  readonly tag: string
  /** `identity`: requires an authenticated caller. `public`: needs no token, so the handler must authenticate sensitive operations in another way. */
  readonly access: 'public' | 'identity'
  /**
   * The permission, or one of several, that a role of the caller must have; otherwise the request is refused with 403 before its input is read. Omit it for
   * what a caller may always do with its own runs.
   */
  readonly permission?: Permission | readonly [Permission, ...Permission[]] | undefined
  /** An object schema for the query. Parameters that it does not list are refused. Numbers, booleans and lists (`a,b`) are parsed by their `type`. */
  readonly query?: JsonSchema | undefined
  /** Marks an operation that changes nothing although its method suggests otherwise: a read-only server allows it. */
  readonly reads?: true | undefined
  /** The schema of the JSON body. A route without it takes no body. */
  readonly body?: JsonSchema | undefined
  /** The body is passed as raw bytes of any type in `call.bytes`, for requests that are signed over their bytes. */
  readonly raw?: true | undefined
  readonly answer: {
    readonly status: number
    readonly schema?: JsonSchema | undefined
    /** The answer is an event stream: it counts against the limit of streams, and ends with a `retry` hint when the server closes. */
    readonly stream?: true | undefined
    /** Other success statuses, such as 202, each with its schema. */
    readonly also?: Readonly<Record<number, JsonSchema>> | undefined
    /** The content type of the answer, unless it is JSON or an event stream. */
    readonly type?: string | undefined
  }
  /** Handles a request. A JSON result is sent with the status of `answer`; a thrown error is sent with the status of its code. */
  handle(call: Call): Promise<Response | Json>
}

/** One validated request. */
export interface Call {
  /** The operations of the service in the name of the caller. */
  readonly service: ServiceAs
  readonly identity: Identity
  readonly params: Readonly<Record<string, string>>
  readonly query: JsonObject
  readonly body: Json
  /** The body of a `raw` route. */
  readonly bytes: Uint8Array
  readonly request: Request
  /** Aborted when the client has disconnected or its token was revoked. */
  readonly signal: AbortSignal
  /** Aborted when the server closes: answer with what is available. */
  readonly closing: AbortSignal
  /** Registers a run that this call drives; it is suspended durably when the server closes. */
  drives(run: Pick<AgentRun, 'id' | 'then'>): void
}

/** A group of routes to add to a server, with the function that ends it. */
export interface Part {
  readonly routes: readonly Route[]
  /** Returns a request that came to a path of the part's own as the request that the routes of the server know; any other as it is. */
  within?(request: Request): Request
  /** Returns metrics to add to `/metrics`, in the text format of Prometheus. */
  figures?(): Promise<string>
  close?(): void | Promise<void>
}
