import type { AgentRun, ServiceAs } from '../../agent/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { Permission } from '../../gate/index.ts'
import type { Identity } from '../../journal/index.ts'

/** A schema in JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type JsonSchema = JsonObject

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One operation of the HTTP server. The server, the checks of what comes in, the rights and the OpenAPI document all follow from it.
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
  /** With parameters in braces: `/api/runs/{runId}`. */
  readonly path: string
  readonly summary: string
  /** The group in the OpenAPI document: `runs`, `approvals`. */
  readonly tag: string
  /** `identity`: only with a token. `public`: for anyone who reaches the server; what it does must prove itself in another way. */
  readonly access: 'public' | 'identity'
  /** Refused with 403 before anything is read, unless a role of the caller has it, or one of several. For what the caller may always do with its own runs, leave it out. */
  readonly permission?: Permission | readonly [Permission, ...Permission[]] | undefined
  /** An object schema. A name that it does not know is refused. Numbers, booleans and lists (`a,b`) are read by their `type`. */
  readonly query?: JsonSchema | undefined
  /** It changes nothing, although its method would let one think so: a server that is read-only answers it. */
  readonly reads?: true | undefined
  /** The body as JSON. A route without it takes no body. */
  readonly body?: JsonSchema | undefined
  /** The body is taken as it is, of any type: `call.bytes`. For requests that are signed over their bytes. */
  readonly raw?: true | undefined
  readonly answer: {
    readonly status: number
    readonly schema?: JsonSchema | undefined
    /** The answer is an event stream: it counts against the limit of streams, and ends with a `retry` hint when the server closes. */
    readonly stream?: true | undefined
    /** Other statuses that are no errors, such as 202, each with its schema. */
    readonly also?: Readonly<Record<number, JsonSchema>> | undefined
    /** What it answers with, unless it is JSON or an event stream. */
    readonly type?: string | undefined
  }
  /** JSON is sent with the status of `answer`. What is thrown becomes an error with the status of its code. */
  handle(call: Call): Promise<Response | Json>
}

/** One request, checked. */
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
  /** The client has left, or its token was revoked. */
  readonly signal: AbortSignal
  /** The server closes: answer with what there is. */
  readonly closing: AbortSignal
  /** Tells the server of a run that this call drives: it is suspended durably when the server closes. */
  drives(run: Pick<AgentRun, 'id' | 'then'>): void
}

/** A group of routes that is added to a server, and what has to be ended with it. */
export interface Part {
  readonly routes: readonly Route[]
  /** What it adds to `/metrics`, in the text format of Prometheus. */
  figures?(): Promise<string>
  close?(): void | Promise<void>
}
