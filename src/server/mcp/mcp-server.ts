import { MandateError, systemRandom, checkFields } from '../../core/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { serveFetch } from '../listener.ts'
import type { Listening } from '../listener.ts'
import { instanceFor } from './instance.ts'
import { offersOf } from './offer.ts'
import { MCP_SERVER_OPTIONS } from './options.ts'
import type { McpServerOptions } from './options.ts'
import {
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  isLegacyRequest,
  originValidationResponse,
  serveStdio,
} from './protocol.ts'
import type { McpServer, ServerContext } from './protocol.ts'
import { refuseRepeatedNames } from './request-body.ts'
import { Sessions } from './sessions.ts'

/** A server that is ready to be reached, one way or several. */
export interface McpDoor {
  /** Answers one request over HTTP, for servers that exist already. Host, Origin and identity are checked here. */
  fetch(request: Request): Promise<Response>
  /** Serves HTTP on an address of this machine; loopback when no `host` is given. */
  listen(options?: { readonly port?: number | undefined; readonly host?: string | undefined }): Promise<Listening>
  /**
   * Speaks over standard input and output until the client closes them; then the runs of its calls are suspended. Nothing else may write to standard
   * output.
   */
  stdio(): { close(): Promise<void>; readonly closed: Promise<void> }
  /** Ends all connections. The service stays. */
  close(): Promise<void>
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const LOCAL: Identity = { id: 'mcp', roles: ['owner'] }
const KEY_LENGTH = 32
const PATH = '/mcp'

/**
 * Offers agents, programs and tools of a service as tools of the Model Context Protocol, over stdio and HTTP. Every call is a run: it passes the
 * gate, stands in the journal, and what needs approval is put to the person behind the client.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { mcpServer } from 'mandate/server'
 * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * const server = await mcpServer({ service, agents: ['greeter'] })
 * const { url, close } = await server.listen({ port: 0 })
 * await close()
 * ```
 */
export async function mcpServer(options: McpServerOptions): Promise<McpDoor> {
  checkFields(options, 'an option of `mcpServer`', MCP_SERVER_OPTIONS)
  const { service, identify, allowedHosts = LOOPBACK, allowedOrigins = LOOPBACK } = options
  const offers = await offersOf(options)
  const codec = createRequestStateCodec({ key: stateKeyOf(options), ttlSeconds: STATE_SECONDS, bind: boundTo })
  const make = (identity: Identity, isGone?: () => boolean): Promise<McpServer> =>
    instanceFor({ options, offers, codec, isGone }, identity)
  const modern = createMcpHandler(({ authInfo }) => make(identityIn(authInfo)), { legacy: 'reject' })
  const unwatch = (options.resources ?? []).map((resource) =>
    resource.watch?.(() => modern.notify.resourceUpdated(resource.uri)),
  )
  const sessions = new Sessions(service.kernel.clock, (identity) => make(identity))
  const connections = new Set<{ close(): Promise<void> }>()
  const who = async (request: Request | undefined): Promise<Identity | undefined> =>
    identify === undefined ? LOCAL : identityFrom(await identify(request))

  const fetch = async (request: Request): Promise<Response> => {
    const refusal =
      hostHeaderValidationResponse(request, [...allowedHosts]) ?? originValidationResponse(request, [...allowedOrigins])
    if (refusal !== undefined) return refusal
    if (isCrossSite(request)) return otherSite()
    const identity = await who(request)
    if (identity === undefined) return new Response('Say who you are.', { status: 401 })
    const unclear = await refuseRepeatedNames(request)
    if (unclear !== undefined) return unclear
    if (await isLegacyRequest(request)) return sessions.fetch(request, identity)
    return modern.fetch(request, { authInfo: { token: '', clientId: identity.id, scopes: [], extra: { identity } } })
  }

  return {
    fetch,
    async listen(address = {}) {
      checkFields(address, 'an option of `listen`', { port: true, host: true })
      const { port = 0, host = '127.0.0.1' } = address
      if (identify === undefined && !LOOPBACK.includes(host) && host !== '::1')
        throw new MandateError(
          'CONFIG_INVALID',
          `Without \`identify\` anyone who reaches ${host} could run agents. Give \`identify\`, or listen on 127.0.0.1.`,
        )
      const sameOrigin = async (request: Request): Promise<Response> =>
        options.allowedOrigins === undefined && isOfOtherPort(request) ? otherSite() : fetch(request)
      const listening = await serveFetch(sameOrigin, { port, host, path: PATH })
      connections.add(listening)
      return { ...listening, url: `${listening.url}${PATH}` }
    },
    stdio() {
      let isOver = false
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      const end = (): void => {
        isOver = true
        resolve()
      }
      // Before the protocol's own listener, which aborts the calls; and also for a client that leaves without having said anything.
      process.stdin.once('end', end).once('close', end)
      const connection = serveStdio(async () => {
        const identity = await who(undefined)
        if (identity === undefined) throw new MandateError('DENIED', '`identify` returned no identity for stdio.')
        return make(identity, () => isOver)
      })
      // Not when one of its servers closes: the one that a client tried first is replaced when the client asks for an older revision.
      const close = (): Promise<void> => connection.close().finally(end)
      connections.add({ close })
      return { close, closed }
    },
    async close() {
      for (const stop of unwatch) stop?.()
      await Promise.allSettled([modern.close(), sessions.close(), ...[...connections].map((one) => one.close())])
    },
  }
}

/**
 * A browser sends this for a page of another site. Where it names no origin, as for links, forms and pictures, the check of origins has nothing to
 * look at; no client of the protocol sends such a request.
 */
function isCrossSite({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none' && headers.get('origin') === null
}

/** A page of another port of this machine belongs to another program, unless `allowedOrigins` says otherwise. */
function isOfOtherPort({ headers, url }: Request): boolean {
  const origin = URL.parse(headers.get('origin') ?? '')
  return origin !== null && origin.port !== new URL(url).port
}

function otherSite(): Response {
  return new Response('Requests of other sites are refused.', { status: 403 })
}

/** How long a person may think about a form. */
const STATE_SECONDS = 24 * 3_600

function stateKeyOf({ stateKey = systemRandom.hex(KEY_LENGTH) }: McpServerOptions): string {
  if (stateKey.length >= KEY_LENGTH) return stateKey
  throw new MandateError('CONFIG_INVALID', `\`stateKey\` needs at least ${KEY_LENGTH} characters.`)
}

/** State of one caller and one kind of request is of no use to others. */
function boundTo({ mcpReq, http }: ServerContext): string {
  return `${mcpReq.method} ${http?.authInfo?.clientId ?? ''}`
}

/** What a host's `identify` gives is checked: an identity of a wrong shape would otherwise fail in the middle of a call. */
function identityFrom(given: Identity | undefined): Identity | undefined {
  return given === undefined ? undefined : checkIdentity(given, 'What `identify` gives')
}

function identityIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Identity {
  const identity = authInfo?.extra?.['identity'] as Identity | undefined
  if (identity !== undefined) return identity
  throw new MandateError('INTERNAL', 'A request reached the server without an identity.')
}
