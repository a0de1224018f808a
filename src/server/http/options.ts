import { MandateError, checkFields, checkNumbers, checkNeeded, nearest } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Listening } from '../listener.ts'
import type { McpServerOptions } from '../mcp/options.ts'
import type { Part } from './route.ts'
import type { ServerToken } from './tokens.ts'

/** The limits of a server. */
export interface ServerLimits {
  /** The maximum size of a body in bytes: 4 MiB by default. */
  readonly bodyBytes: number
  /** The maximum nesting depth of JSON in a body: 100 by default. */
  readonly bodyDepth: number
  /** The maximum number of requests of one identity per minute: 6,000 by default. */
  readonly requestsPerMinute: number
  /**
   * The maximum number of requests without a valid token per minute and address: 60 by default. Further ones are refused with 429; a valid token is still
   * accepted.
   */
  readonly strangersPerMinute: number
  /** The maximum number of open event streams per identity: 1,024 by default. */
  readonly streams: number
  /** The maximum of `?wait` in seconds: 60 by default. */
  readonly waitSeconds: number
  /** The maximum number of open connections: 4,096 by default. */
  readonly connections: number
  /** How long `close` waits for requests and runs, in milliseconds: 10,000 by default. */
  readonly closeMs: number
}

const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 4 * 1_024 * 1_024,
  bodyDepth: 100,
  requestsPerMinute: 6_000,
  strangersPerMinute: 60,
  streams: 1_024,
  waitSeconds: 60,
  connections: 4_096,
  closeMs: 10_000,
}

/** Options of `httpServer`: who may call it, and its limits. */
export interface HttpServerOptions {
  /** The tokens of callers. Either this or `authenticate` is required: a server without authentication is refused. */
  readonly tokens?: readonly ServerToken[] | undefined
  /** Returns the identity in whose name a request is carried out; `undefined` refuses the request with 401. Called when no token matches. */
  readonly authenticate?: ((request: Request) => Identity | undefined | Promise<Identity | undefined>) | undefined
  /** The name of this server in the `audience` of tokens. */
  readonly audience?: string | undefined
  /** Host names under which the server may be reached, such as `agents.example.com`; those of loopback when absent. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of web pages that may call it besides its own, such as `https://app.example.com`. */
  readonly origins?: readonly string[] | undefined
  readonly limits?: Partial<ServerLimits> | undefined
  /** Refuses every request that would change something with 403, for viewing the runs of others. */
  readonly readOnly?: boolean | undefined
  /** The version in the OpenAPI document; "1" when absent. */
  readonly version?: string | undefined
  /** Further routes. */
  readonly parts?: readonly Part[] | undefined
  /** Options of the MCP server at `/mcp`; it is not served when absent. */
  readonly mcp?: Omit<McpServerOptions, 'service' | 'identify' | 'allowedHosts' | 'allowedOrigins'> | undefined
  /** Called with errors of the server itself; callers receive only a generic error. */
  readonly onFault?: ((error: unknown, request: Request) => void) | undefined
}

/** What `close` did with the runs that requests of the server have started. */
export interface ClosedServer {
  /** Runs that were suspended durably. Resume them here or in another process. */
  readonly suspended: readonly string[]
  /** Runs that did not stop in time. Their journals record how far they came. */
  readonly left: readonly string[]
}

/** What the caller of `fetch` passes about a request: the address of its client, if known. */
export interface RequestInfo {
  readonly address?: string | undefined
}

/** An HTTP server that `httpServer` created. */
export interface HttpServer {
  /** Handles one request, including all checks, so any server may pass its requests to it as `server.fetch`. */
  readonly fetch: (request: Request, info?: RequestInfo) => Promise<Response>
  /** Serves HTTP on an address of this machine; loopback when no `host` is given. A specific `host` is added to the allowed host names. */
  listen(address?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<Listening>
  /** Revokes a token at once, given as the token or its hash; event streams that were opened with it end. Returns whether the token existed. */
  revoke(token: string): boolean
  /**
   * Refuses further requests, ends event streams with a `retry` hint, and durably suspends the runs that requests have started. Waits at most
   * `limits.closeMs` for requests and runs, and at most as long again for parts and connections. The service is not stopped. Further calls return the same
   * promise.
   */
  close(): Promise<ClosedServer>
}

const OPTIONS: FieldNames<HttpServerOptions> = {
  tokens: 'objects',
  authenticate: 'function',
  audience: 'text',
  hosts: 'texts',
  origins: 'texts',
  limits: 'object',
  readOnly: 'flag',
  version: 'text',
  parts: 'objects',
  mcp: 'object',
  onFault: 'function',
}

/** A part may have members of its own, as a class of the host has; those that the server calls are checked. */
const PART: FieldNames<Part> = { routes: 'objects', within: 'function', figures: 'function', close: 'function' }

function checkPart(part: Part): void {
  const known = Object.keys(PART)
  const called = Object.entries(part).filter(([name]) => known.includes(name) || nearest(name, known) !== undefined)
  checkFields(Object.fromEntries(called), 'a member of one of `parts`', PART)
}

/** Refuses invalid options, and returns the limits with defaults applied. */
export function checkOptions(options: HttpServerOptions): ServerLimits {
  checkNeeded(options, 'an option of `httpServer`', OPTIONS)
  const { limits, tokens, authenticate, origins = [] } = options
  for (const part of options.parts ?? []) checkPart(part)
  checkFields(limits, 'a limit of `httpServer`', { ...DEFAULT_LIMITS })
  const kinds = Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, 'count+'] as const))
  checkNumbers(limits, 'a limit of `httpServer`', kinds)
  if ((tokens === undefined || tokens.length === 0) && authenticate === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      'Anyone could use this server. Give `tokens: [{ token: newToken(), identity }]`, or `authenticate`.',
    )
  const odd = origins.find((origin) => URL.parse(origin)?.origin !== origin)
  if (odd !== undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      `${JSON.stringify(odd)} is no origin. Give one such as "https://app.example.com".`,
    )
  return { ...DEFAULT_LIMITS, ...withoutAbsent(limits) }
}

function withoutAbsent<T extends object>(given: T | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(given ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>
}
