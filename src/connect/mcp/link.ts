import type * as Package from '@modelcontextprotocol/client'
import { type Clock, MandateError, delay, loadPackage, messageOf } from '../../core/index.ts'
import type { RawResult } from './content.ts'
import { requestsTo } from './http-requests.ts'
import { type McpElicit, questionIn } from './questions.ts'
import { type McpHttpServer, type McpServer, isStdio } from './server-config.ts'
import { SessionLost } from './session-lost.ts'
import { StdioTransport } from './stdio-transport.ts'

/** OAuth authorization at a server over HTTP. */
export interface McpAuthorization {
  /** Stores tokens and sends a person to the page of the authorization server; of the type that the protocol's client package defines. */
  readonly provider: Package.OAuthClientProvider
  /** Which URLs may be used for authorization. The server names these URLs, so none is requested unless the host allows it. */
  readonly allow: (url: URL) => boolean
  /** Returns the parameters of the redirect after the person has authorized. Without it, a server that requires authorization is not connected. */
  readonly callback?: (() => Promise<URLSearchParams>) | undefined
}

export interface LinkOptions {
  readonly name: string
  readonly server: McpServer
  readonly clock: Clock
  readonly elicit?: McpElicit | undefined
  readonly authorization?: McpAuthorization | undefined
  /** Called when the server reports a changed list of tools. */
  readonly onToolsChanged: () => void
  /** Aborted when the connection is no longer needed, possibly before it was made. */
  readonly closed: AbortSignal
}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface CallOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly onProgress: (progress: Progress) => void
  /** The trace of the call, which is sent to the server. */
  readonly traceparent?: string | undefined
}

/** An open connection: the only code that uses the protocol's client. */
export interface Link {
  readonly isOpen: boolean
  readonly version: string
  /** The server's own name and version. */
  readonly says: { readonly name: string; readonly version: string }
  list(): Promise<readonly unknown[]>
  call(tool: string, args: { readonly [name: string]: unknown }, options: CallOptions): Promise<RawResult>
  close(): Promise<void>
}

/** The connection failed for lack of authorization, which has been obtained since. */
class Authorized extends Error {}

const PAGES_MAX = 64
const PROBE_MS = 3_000
const LEAVE_MS = 1_000
const ROUNDS_MAX = 5
const CONNECT_MS = 15_000
const MESSAGE_BYTES = 4_000_000

/** The protocol's client package. It is loaded with the first connection, so that it need not be installed without servers. */
let protocol: typeof Package

/** The transport to a server, with details for errors. */
interface Carrier {
  readonly transport: StdioTransport | Package.StreamableHTTPClientTransport
  /** Why this side ended the connection, if it did. */
  fault(): string | undefined
  /** The last error output of a process. */
  said(): string
}

/** Starts or contacts the server and negotiates a version: the newest if the server supports it, otherwise one with a handshake. */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { server } = options
  protocol = await loadPackage('@modelcontextprotocol/client', 'A connection to an MCP server')
  try {
    return await connect(options, 'auto')
  } catch (error) {
    // The person has authorized meanwhile, so there are tokens now.
    if (error instanceof Authorized) return connect(options, 'auto')
    // Some servers exit on an unknown request before the handshake; they are restarted without it.
    if (isStdio(server) && isClosed(error) && !options.closed.aborted) return connect(options, 'legacy')
    throw error
  }
}

async function connect(options: LinkOptions, mode: 'auto' | 'legacy'): Promise<Link> {
  const { name, server } = options
  const timeout = server.connectTimeoutMs ?? CONNECT_MS
  const carrier = carrierTo(options)
  const { transport } = carrier
  const client = clientFor(options, mode, Math.min(PROBE_MS, timeout / 2))
  let isOpen = true
  client.onclose = () => {
    isOpen = false
  }
  client.onerror = () => {}
  const leave = (): void => void transport.close().catch(() => {})
  options.closed.addEventListener('abort', leave, { once: true })
  try {
    await client.connect(transport as never, { timeout })
  } catch (error) {
    const isAuthorized = await authorized(error, carrier, options)
    await client.close().catch(() => {})
    await transport.close().catch(() => {})
    if (isAuthorized) throw new Authorized('There are tokens now.')
    throw described(error, `MCP server "${name}" cannot be reached`, carrier)
  } finally {
    options.closed.removeEventListener('abort', leave)
  }
  const says = client.getServerVersion()
  return {
    get isOpen() {
      return isOpen
    },
    version: client.getNegotiatedProtocolVersion() ?? '',
    says: { name: (says?.name ?? '').slice(0, 128), version: (says?.version ?? '').slice(0, 64) },
    async list() {
      try {
        return await listTools(client, timeout)
      } catch (error) {
        if (await authorized(error, carrier, options)) return listTools(client, timeout)
        if (isInvalid(error)) return listLoosely(client, timeout)
        throw described(error, `MCP server "${name}" does not list its tools`, carrier)
      }
    },
    async call(tool, args, { signal, timeoutMs, onProgress, traceparent }) {
      try {
        const traced = traceparent === undefined ? {} : { _meta: { traceparent } }
        const params = { name: tool, arguments: args, ...traced }
        const limits = { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs, resetTimeoutOnProgress: false }
        return await client.callTool(params, { ...limits, onprogress: onProgress })
      } catch (error) {
        if (signal.aborted) throw new MandateError('CANCELLED', `The call of "${tool}" was cut.`, { cause: error })
        if (error instanceof protocol.ProtocolError)
          throw new MandateError('TOOL_FAILED', `MCP server "${name}": ${error.message.slice(0, 2_000)}`)
        const isLost =
          (error instanceof protocol.SdkHttpError && error.status === 404) ||
          (await authorized(error, carrier, options))
        if (!isTimeout(error) && !isInvalid(error)) isOpen = false
        if (isLost) throw new SessionLost(messageOf(error))
        throw described(error, `MCP server "${name}" failed in "${tool}"`, carrier)
      }
    },
    async close() {
      if (isOpen) await leaveSession(carrier, options.clock)
      isOpen = false
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
    },
  }
}

/** Ends the session on the server, without waiting for one that does not answer. */
async function leaveSession({ transport }: Carrier, clock: Clock): Promise<void> {
  if (transport instanceof StdioTransport || transport.sessionId === undefined) return
  await Promise.race([transport.terminateSession().catch(() => {}), delay(clock, LEAVE_MS)])
}

/** Finishes an OAuth authorization with the parameters of the redirect. No tool was called. */
async function authorized(error: unknown, { transport }: Carrier, { authorization }: LinkOptions): Promise<boolean> {
  if (!isUnauthorized(error) || transport instanceof StdioTransport) return false
  if (authorization?.callback === undefined) return false
  await transport.finishAuth(await authorization.callback())
  return true
}

function isUnauthorized(error: unknown): boolean {
  return (
    error instanceof protocol.UnauthorizedError ||
    (error as { cause?: unknown } | null)?.cause instanceof protocol.UnauthorizedError
  )
}

async function listTools(client: Package.Client, timeout: number): Promise<readonly unknown[]> {
  return (await client.listTools({}, { timeout, cacheMode: 'refresh' })).tools
}

/** Lists tools without the client's validation: with it, a single invalid definition would make the client refuse all. */
async function listLoosely(client: Package.Client, timeout: number): Promise<readonly unknown[]> {
  const tools: unknown[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const result = (await client.request({ method: 'tools/list', params }, ANYTHING, { timeout })) as Page
    if (Array.isArray(result.tools)) tools.push(...(result.tools as readonly unknown[]))
    if (typeof result.nextCursor !== 'string') return tools
    cursor = result.nextCursor
  }
  throw new Error(`It lists its tools on more than ${PAGES_MAX} pages.`)
}

interface Page {
  readonly tools?: unknown
  readonly nextCursor?: unknown
}

const ANYTHING = {
  '~standard': { version: 1, vendor: 'mandate', validate: (value: unknown) => ({ value }) },
} as const

function clientFor(
  { name, elicit, onToolsChanged }: LinkOptions,
  mode: 'auto' | 'legacy',
  probeMs: number,
): Package.Client {
  const client = new protocol.Client(
    { name: 'mandate', version: '1' },
    {
      // Sampling (the server would use the host's models) and roots are not declared. Such requests are answered with "method not found".
      capabilities: elicit === undefined ? {} : { elicitation: { form: { applyDefaults: true }, url: {} } },
      versionNegotiation: { mode, probe: { timeoutMs: probeMs } },
      inputRequired: { maxRounds: ROUNDS_MAX },
      listMaxPages: PAGES_MAX,
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      // Results are validated here; the client's own validator generates code.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  if (elicit === undefined) return client
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const question = questionIn(params, name)
    if (question === undefined) return { action: 'decline' }
    const { action, content } = await elicit(question)
    return action === 'accept' ? { action, content: { ...content } as { [field: string]: string } } : { action }
  })
  return client
}

function carrierTo({ server, clock, authorization }: LinkOptions): Carrier {
  const maxMessageBytes = server.maxMessageBytes ?? MESSAGE_BYTES
  if (!isStdio(server)) return httpCarrier(server, maxMessageBytes, authorization)
  const transport = new StdioTransport(server, { maxMessageBytes, clock })
  return { transport, fault: () => transport.fault, said: () => transport.stderr }
}

function httpCarrier(server: McpHttpServer, maxMessageBytes: number, authorization?: McpAuthorization): Carrier {
  let fault: string | undefined
  const onFault = (why: string): void => {
    fault = why
    void transport.close()
  }
  const transport = new protocol.StreamableHTTPClientTransport(new URL(server.url), {
    requestInit: { headers: { ...server.headers } },
    fetch: requestsTo(server, { maxMessageBytes, onFault, mayAuthorizeAt: authorization?.allow }),
    ...(authorization === undefined ? {} : { authProvider: authorization.provider }),
    reconnectionOptions: {
      maxReconnectionDelay: 5_000,
      initialReconnectionDelay: 500,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
  })
  return { transport, fault: () => fault, said: () => '' }
}

function isClosed(error: unknown): boolean {
  return MandateError.isInstance(error) && (error.info as { closed?: unknown } | undefined)?.closed === true
}

function isInvalid(error: unknown): boolean {
  return error instanceof protocol.SdkError && error.code === protocol.SdkErrorCode.InvalidResult
}

function isTimeout(error: unknown): boolean {
  return error instanceof protocol.SdkError && error.code === protocol.SdkErrorCode.RequestTimeout
}

/** An error of the client, with the server's last error output. */
function described(error: unknown, what: string, carrier: Carrier): MandateError {
  const cause = (error as { cause?: unknown } | undefined)?.cause
  if (MandateError.isInstance(error)) return error
  if (MandateError.isInstance(cause)) return cause
  const fault = carrier.fault()
  const said = carrier.said() === '' ? '' : ` It said: ${carrier.said().slice(-1_000)}`
  const { ConnectionClosed, EraNegotiationFailed } = protocol.SdkErrorCode
  const ended: readonly string[] = [ConnectionClosed, EraNegotiationFailed]
  const closed = error instanceof protocol.SdkError && ended.includes(error.code)
  const reason = fault ?? (closed ? 'It ended.' : messageOf(error).slice(0, 1_000))
  const code = isTimeout(error) ? 'TIMEOUT' : 'CONNECTOR_FAILED'
  return new MandateError(code, `${what}: ${reason}${said}`, {
    cause: error,
    info: { closed: closed && fault === undefined },
  })
}
