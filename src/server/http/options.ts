import { MandateError, checkFields, checkNumbers } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Identity } from '../../journal/index.ts'
import type { Listening } from '../listener.ts'
import type { McpServerOptions } from '../mcp/options.ts'
import type { Part } from './route.ts'
import type { ServerToken } from './tokens.ts'

/** How much of everything a server takes. */
export interface ServerLimits {
  /** Bytes of a body: 4 MiB. */
  readonly bodyBytes: number
  /** Levels of JSON in a body: 100. */
  readonly bodyDepth: number
  /** Requests of one identity per minute: 6,000. */
  readonly requestsPerMinute: number
  /** Requests without a good token per minute and address: 60. Further ones are refused with 429; a good token is taken all the same. */
  readonly strangersPerMinute: number
  /** Event streams that are open at once in one name: 1,024. */
  readonly streams: number
  /** The longest `?wait`, in seconds: 60. */
  readonly waitSeconds: number
  /** Connections that are open at once: 4,096. */
  readonly connections: number
  /** How long `close` waits for requests and runs, in milliseconds: 10,000. */
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

/** Who may call an HTTP server, and how much. */
export interface HttpServerOptions {
  /** Who may call. Either this or `authenticate` is needed: no server is open to everyone. */
  readonly tokens?: readonly ServerToken[] | undefined
  /** Says in whose name a request is carried out; `undefined` refuses it with 401. It is asked where no token fits. */
  readonly authenticate?: ((request: Request) => Identity | undefined | Promise<Identity | undefined>) | undefined
  /** What this server is called in `audience` of tokens. */
  readonly audience?: string | undefined
  /** Host names under which the server may be reached, such as `agents.example.com`; those of loopback when absent. */
  readonly hosts?: readonly string[] | undefined
  /** Origins of web pages that may call it besides its own, such as `https://app.example.com`. */
  readonly origins?: readonly string[] | undefined
  readonly limits?: Partial<ServerLimits> | undefined
  /** Refuses everything that would change something, with 403: for looking at the runs of others. */
  readonly readOnly?: boolean | undefined
  /** What the server says of itself in its OpenAPI document; "1" when absent. */
  readonly version?: string | undefined
  /** Further routes. */
  readonly parts?: readonly Part[] | undefined
  /** What is offered as tools of the Model Context Protocol at `/mcp`; nothing when absent. */
  readonly mcp?: Omit<McpServerOptions, 'service' | 'identify' | 'allowedHosts' | 'allowedOrigins'> | undefined
  /** Is told what went wrong in the server itself; callers only learn that something did. */
  readonly onFault?: ((error: unknown, request: Request) => void) | undefined
}

/** What `close` did with the runs of the server's requests. */
export interface ClosedServer {
  /** Runs that were suspended durably: resume them here or elsewhere. */
  readonly suspended: readonly string[]
  /** Runs that did not stop in time. Their journals say how far they came. */
  readonly left: readonly string[]
}

/** Where a request came from, as far as who calls `fetch` knows. */
export interface RequestInfo {
  readonly address?: string | undefined
}

/** A server that is ready to be reached; `httpServer` makes one. */
export interface HttpServer {
  /** Answers one request. Everything is checked here, so any server may pass its requests on, as `server.fetch`. */
  readonly fetch: (request: Request, info?: RequestInfo) => Promise<Response>
  /** Serves HTTP on an address of this machine; loopback when no `host` is given. Under an address that is named, the server may be reached. */
  listen(address?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<Listening>
  /** Ends a token at once, given as it is or as its hash; event streams that were opened with it end. Says whether there was one. */
  revoke(token: string): boolean
  /**
   * Takes no further requests, ends event streams with a hint when to come back, and suspends the runs that were started over it, durably; all within
   * `limits.closeMs`. The service stays. A second call waits for the first.
   */
  close(): Promise<ClosedServer>
}

const OPTIONS: FieldNames<HttpServerOptions> = {
  tokens: true,
  authenticate: true,
  audience: true,
  hosts: true,
  origins: true,
  limits: true,
  readOnly: true,
  version: true,
  parts: true,
  mcp: true,
  onFault: true,
}

/** Refuses options that cannot be meant, and gives the limits that hold. */
export function checkOptions(options: HttpServerOptions): ServerLimits {
  checkFields(options, 'an option of `httpServer`', OPTIONS)
  const { limits, tokens, authenticate, origins = [] } = options
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
