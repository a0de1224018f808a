import { kernelOf } from '../../agent/index.ts'
import type { AgentService } from '../../agent/index.ts'
import { MandateError, checkFields, systemClock, within } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Permission } from '../../gate/index.ts'
import { checkIdentity } from '../../journal/index.ts'
import type { Identity } from '../../journal/index.ts'
import { refusalResponse } from '../faces/openai/errors.ts'
import type { Listening } from '../listener.ts'
import { routedApp } from './app.ts'
import type { Matched, RoutedApp } from './app.ts'
import { DrivenRuns } from './driven-runs.ts'
import { Refusal, errorAnswer, isFault } from './error-answers.ts'
import { mcpEndpoint } from './mcp-endpoint.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { documentRoute } from './openapi.ts'
import { OpenStreams, endingWith } from './open-streams.ts'
import { checkOptions } from './options.ts'
import type { ClosedServer, HttpServer, HttpServerOptions, RequestInfo, ServerLimits } from './options.ts'
import { LOOPBACK_NAMES, checkHost, checkOrigin, preflight, readableBy } from './origin-checks.ts'
import { RateLimit } from './rate-limits.ts'
import { readBytes, readJsonBody } from './request-input.ts'
import { PATH_REFUSALS, pathRefusal } from './request-path.ts'
import type { Call, Part, Route } from './route.ts'
import { aboutRun } from './routes/run-visibility.ts'
import { waitingAtMost } from './routes/run-wait.ts'
import { standardParts } from './routes/standard-parts.ts'
import { secured } from './security-headers.ts'
import { Tokens } from './tokens.ts'
import type { Known } from './tokens.ts'

/** The identity of callers of routes that need no token. It has no role. */
const ANYONE: Identity = { id: 'anyone', roles: [] }
const READING = new Set(['GET', 'HEAD'])

/**
 * Creates a server for the operations of a service over HTTP: REST for agents, runs, approvals, prompts, policies, graphs and cells, each in the name of the
 * caller. `fetch` takes web-standard requests, so it works in every runtime that has them; `listen` needs Node.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { scripted } from 'mandate/model'
 * import { httpServer, newToken } from 'mandate/server'
 * const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
 * const token = newToken()
 * const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
 * const { url } = await server.listen({ port: 0 })
 * const answer = await fetch(`${url}/api/agents`, { headers: { authorization: `Bearer ${token}` } })
 * console.log(await answer.json())
 * await server.close()
 * await service.stop()
 * ```
 */
export function httpServer(service: AgentService, options: HttpServerOptions): HttpServer {
  return new ServedService(service, options)
}

class ServedService implements HttpServer {
  readonly #service: AgentService
  readonly #options: HttpServerOptions
  readonly #limits: ServerLimits
  readonly #tokens: Tokens
  readonly #hosts: Set<string>
  readonly #parts: readonly Part[]
  readonly #app: RoutedApp
  readonly #mcp: McpEndpoint | undefined
  readonly #streams: OpenStreams
  readonly #requests: RateLimit
  readonly #strangers: RateLimit
  readonly #driven = new DrivenRuns()
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  readonly #listening = new Set<Listening>()
  #closed: Promise<ClosedServer> | undefined

  constructor(service: AgentService, options: HttpServerOptions) {
    this.#limits = checkOptions(options)
    this.#service = service
    this.#options = options
    this.#tokens = new Tokens(options.tokens ?? [], options.audience)
    this.#hosts = new Set((options.hosts ?? LOOPBACK_NAMES).map((host) => host.toLowerCase()))
    this.#streams = new OpenStreams(this.#limits.streams)
    this.#requests = new RateLimit(this.#limits.requestsPerMinute)
    this.#strangers = new RateLimit(this.#limits.strangersPerMinute)
    const given = options.parts ?? []
    this.#parts = [...standardParts(service, given), ...given]
    const routes = this.#parts.flatMap((part) => part.routes).map((route) => waitingAtMost(route, this.#limits))
    this.#app = routedApp([...routes.map(aboutRun), documentRoute(routes, options.version)], {
      serve: (matched) => this.#serve(matched),
      admit: async (request, address) => void (await this.#identify(request, address)),
      onFault: options.onFault,
      answerError,
    })
    this.#mcp = options.mcp === undefined ? undefined : mcpEndpoint(service, options.mcp)
  }

  // A property rather than a method, so that it can be passed to other frameworks as a function.
  readonly fetch = async (request: Request, info: RequestInfo = {}): Promise<Response> => {
    const address = typeof info?.address === 'string' ? info.address : ''
    const work = this.#answer(request, address)
    this.#underWay.add(work)
    try {
      return secured(await work, request)
    } finally {
      this.#underWay.delete(work)
    }
  }

  async #answer(given: Request, address: string): Promise<Response> {
    const request = this.#parts.reduce((asked, part) => part.within?.(asked) ?? asked, given)
    let origin: string | undefined
    try {
      const { pathname } = new URL(request.url)
      checkHost(request, [...this.#hosts])
      const refused = pathRefusal(pathname)
      if (refused !== undefined) throw new Refusal(refused, PATH_REFUSALS[refused].code, PATH_REFUSALS[refused].message)
      if ((request.headers.get('content-encoding') ?? 'identity') !== 'identity')
        throw new Refusal(415, 'INPUT_INVALID', 'Compressed bodies are not taken.')
      const isOpen = READING.has(request.method) && this.#app.routeOf('GET', pathname)?.access === 'public'
      origin = checkOrigin(request, this.#options.origins ?? [], isOpen)
      if (this.#closing.signal.aborted)
        throw new Refusal(503, 'CLOSED', 'The server is closing.', { 'retry-after': '2', connection: 'close' })
      if (request.method === 'OPTIONS') return preflight(request, origin)
      return readableBy(await this.#routed(request, pathname, address), origin)
    } catch (error) {
      if (isFault(error, request)) this.#options.onFault?.(error, request)
      return readableBy(answerError(error, request), origin)
    }
  }

  async #routed(request: Request, pathname: string, address: string): Promise<Response> {
    if (pathname !== '/mcp' || this.#mcp === undefined) return this.#app.fetch(request, address)
    const { identity } = await this.#identify(request, address)
    if (this.#options.readOnly === true) throw readOnly()
    return this.#mcp.fetch(request, identity)
  }

  async #serve({ route, checks, params, request, address }: Matched): Promise<Response | Json> {
    const known: Known = route.access === 'public' ? this.#stranger(address) : await this.#identify(request, address)
    const { identity, revoked } = known
    if (this.#options.readOnly === true && !READING.has(route.method) && route.reads !== true) throw readOnly()
    const service = this.#service.as(identity)
    if (route.permission !== undefined) service.check(...anyOf(route.permission))
    const query = checks.query(new URL(request.url).searchParams)
    const bytes = route.raw === true ? await readBytes(request, this.#limits.bodyBytes) : new Uint8Array()
    const body = route.body === undefined ? null : await readJsonBody(request, this.#limits)
    checks.body(body)
    const signal = revoked === undefined ? request.signal : AbortSignal.any([request.signal, revoked])
    const closing = this.#closing.signal
    const drives: Call['drives'] = (run) => this.#driven.add(run)
    const call: Call = { service, identity, params, query, body, bytes, request, signal, closing, drives }
    const traceparent = request.headers.get('traceparent')
    const handle = (): Promise<Response | Json> => this.#service.events.inTrace(traceparent, () => route.handle(call))
    if (route.answer.stream !== true) return handle()
    const left = this.#streams.enter(identity.id)
    try {
      const answer = await handle()
      if (answer instanceof Response) return endingWith(answer, { closing, cut: signal, left })
      left()
      return answer
    } catch (error) {
      left()
      throw error
    }
  }

  /** Counts a request to a public route by the address of its client. */
  #stranger(address: string): Known {
    this.#count(this.#requests, `from ${address}`)
    return { identity: ANYONE }
  }

  async #identify(request: Request, address: string): Promise<Known> {
    const found = this.#tokens.find(request.headers.get('authorization')) ?? (await this.#authenticated(request))
    if (found === undefined) {
      this.#count(this.#strangers, address)
      throw new Refusal(401, 'DENIED', 'A token is needed: `Authorization: Bearer <token>`.', {
        'www-authenticate': 'Bearer',
      })
    }
    this.#count(this.#requests, `as ${found.identity.id}`)
    return found
  }

  async #authenticated(request: Request): Promise<Known | undefined> {
    const identity = await this.#options.authenticate?.(request)
    return identity === undefined ? undefined : { identity: checkIdentity(identity, 'What `authenticate` returned') }
  }

  #count(limit: RateLimit, caller: string): void {
    const seconds = limit.take(caller)
    if (seconds !== undefined)
      throw new Refusal(429, 'RATE_LIMITED', `Too many requests. Try again in ${seconds} s.`, {
        'retry-after': String(seconds),
      })
  }

  revoke(token: string): boolean {
    return this.#tokens.revoke(token)
  }

  async listen(
    address: { readonly port?: number | undefined; readonly host?: string | undefined } = {},
  ): Promise<Listening> {
    checkFields(address, 'an option of `listen`', { port: true, host: true })
    if (this.#closed !== undefined) throw new MandateError('CLOSED', 'The server has been closed. Make a new one.')
    const { port = 0, host = '127.0.0.1' } = address
    // Loaded here because it needs Node, while `fetch` also works in other runtimes.
    const { serveFetch } = await import('../listener.ts')
    const { connections } = this.#limits
    const listening = await serveFetch(this.fetch, { port, host, connections })
    if (!ANY_ADDRESS.has(host)) this.#hosts.add((host.includes(':') ? `[${host}]` : host).toLowerCase())
    this.#listening.add(listening)
    return listening
  }

  close(): Promise<ClosedServer> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<ClosedServer> {
    const { closeMs } = this.#limits
    const briefly = <T>(work: Promise<T>): Promise<T | undefined> => within(systemClock, closeMs, work, () => undefined)
    this.#closing.abort()
    const driven = this.#driven.ids()
    const kernel = kernelOf(this.#service)
    const interrupted = driven.map((run) => kernel.interrupt(run).catch(() => undefined))
    await briefly(Promise.allSettled([...interrupted, this.#driven.settled(), ...this.#underWay]))
    const left = this.#driven.ids()
    const ends = [...this.#parts.map(async (part) => part.close?.()), this.#mcp?.close()]
    const connections = [...this.#listening].map((one) => one.close({ graceMs: GRACE_MS }))
    await briefly(Promise.allSettled([...ends, ...connections]))
    return { suspended: driven.filter((run) => !left.includes(run)), left }
  }
}

/** Returns the error response in the format of the protocol that the path belongs to. */
function answerError(error: unknown, { url }: Request): Response {
  const isOpenAi = URL.parse(url)?.pathname.startsWith('/v1/') === true
  return isOpenAi ? refusalResponse(error) : errorAnswer(error)
}

function readOnly(): Refusal {
  return new Refusal(403, 'DENIED', 'This server is read-only: it shows runs, and changes nothing.')
}

function anyOf(permission: NonNullable<Route['permission']>): readonly [Permission, ...Permission[]] {
  return typeof permission === 'string' ? [permission] : permission
}

/** How long responses in progress may take to end once everything else has ended, in milliseconds. */
const GRACE_MS = 500
const ANY_ADDRESS = new Set(['0.0.0.0', '::', ''])
