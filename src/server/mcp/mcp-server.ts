import { kernelOf } from '../../agent/index.ts'
import { MandateError, systemRandom, checkFields } from '../../core/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { serveFetch } from '../listener.ts'
import { instanceFor } from './instance.ts'
import { offersOf } from './offer.ts'
import type { McpDoor } from './door.ts'
import type { McpServerOptions } from './options.ts'
import { loadProtocol, protocol } from './protocol.ts'
import type { McpServer, ServerContext } from './protocol.ts'
import { refuseRepeatedNames } from './request-body.ts'
import { Sessions } from './sessions.ts'

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']
const LOCAL: Identity = { id: 'mcp', roles: ['owner'] }
const KEY_LENGTH = 32
const PATH = '/mcp'

/** Opens the server. The options were checked by the caller. */
export async function openServer(options: McpServerOptions): Promise<McpDoor> {
  await loadProtocol()
  return serverFor(options)
}

async function serverFor(options: McpServerOptions): Promise<McpDoor> {
  const { service, identify, allowedHosts = LOOPBACK, allowedOrigins = LOOPBACK } = options
  const offers = await offersOf(options)
  const codec = protocol.createRequestStateCodec({ key: stateKeyOf(options), ttlSeconds: STATE_SECONDS, bind: boundTo })
  const make = (identity: Identity, isGone?: () => boolean): Promise<McpServer> =>
    instanceFor({ options, offers, codec, isGone }, identity)
  const modern = protocol.createMcpHandler(({ authInfo }) => make(identityIn(authInfo)), { legacy: 'reject' })
  const unwatch = (options.resources ?? []).map((resource) =>
    resource.watch?.(() => modern.notify.resourceUpdated(resource.uri)),
  )
  const sessions = new Sessions(kernelOf(service).clock, (identity) => make(identity))
  const connections = new Set<{ close(): Promise<void> }>()
  const who = async (request: Request | undefined): Promise<Identity | undefined> =>
    identify === undefined ? LOCAL : identityFrom(await identify(request))

  const fetch = async (request: Request): Promise<Response> => {
    const refusal =
      protocol.hostHeaderValidationResponse(request, [...allowedHosts]) ??
      protocol.originValidationResponse(request, [...allowedOrigins])
    if (refusal !== undefined) return refusal
    if (isCrossSite(request)) return otherSite()
    const identity = await who(request)
    if (identity === undefined) return new Response('Say who you are.', { status: 401 })
    const unclear = await refuseRepeatedNames(request)
    if (unclear !== undefined) return unclear
    if (await protocol.isLegacyRequest(request)) return sessions.fetch(request, identity)
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
      // Registered before the protocol's own listener, which aborts the calls. Also covers a client that disconnects without having sent anything.
      process.stdin.once('end', end).once('close', end)
      const connection = protocol.serveStdio(async () => {
        const identity = await who(undefined)
        if (identity === undefined) throw new MandateError('DENIED', '`identify` returned no identity for stdio.')
        return make(identity, () => isOver)
      })
      // Ends with the connection, not with one of its servers: the first server is replaced when the client asks for an older revision.
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
 * Returns whether a browser sent the request for a page of another site without an Origin, as it does for links, forms and images. The origin check does not
 * detect these; no client of the protocol sends such a request.
 */
function isCrossSite({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  return site !== null && site !== 'same-origin' && site !== 'none' && headers.get('origin') === null
}

/** Returns whether the request comes from a page on another port of this machine, which belongs to another program. Applied only without `allowedOrigins`. */
function isOfOtherPort({ headers, url }: Request): boolean {
  const origin = URL.parse(headers.get('origin') ?? '')
  return origin !== null && origin.port !== new URL(url).port
}

function otherSite(): Response {
  return new Response('Requests of other sites are refused.', { status: 403 })
}

/** How long the state of a form is valid, in seconds. */
const STATE_SECONDS = 24 * 3_600

function stateKeyOf({ stateKey = systemRandom.hex(KEY_LENGTH) }: McpServerOptions): string {
  if (stateKey.length >= KEY_LENGTH) return stateKey
  throw new MandateError('CONFIG_INVALID', `\`stateKey\` needs at least ${KEY_LENGTH} characters.`)
}

/** Binds sealed state to one caller and one kind of request, so that it is useless for others. */
function boundTo({ mcpReq, http }: ServerContext): string {
  return `${mcpReq.method} ${http?.authInfo?.clientId ?? ''}`
}

/** Checks what `identify` returned: an invalid identity would otherwise fail in the middle of a call. */
function identityFrom(given: Identity | undefined): Identity | undefined {
  return given === undefined ? undefined : checkIdentity(given, 'What `identify` gives')
}

function identityIn(authInfo: { readonly extra?: Record<string, unknown> } | undefined): Identity {
  const identity = authInfo?.extra?.['identity'] as Identity | undefined
  if (identity !== undefined) return identity
  throw new MandateError('INTERNAL', 'A request reached the server without an identity.')
}
