import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { mcpServer } from '../../src/server/index.ts'
import type { McpDoor } from '../../src/server/index.ts'
import { serveFetch } from '../../src/server/listener.ts'
import { readCorpus } from '../corpora/read-corpus.ts'
import { exchange, requestBytes } from './raw-requests.ts'
import type { Answer, Header } from './raw-requests.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly input: Readonly<Record<string, unknown>>
  readonly expect: number | string
  readonly reason: string
}

/** Categories and cases about what the endpoint does not have. */
const NOT_BUILT: Readonly<Record<string, string>> = {
  rbac: 'there is no HTTP API of runs, policies and users: roles are decided in the gate, approvals are bound to a call there',
  xss: 'the endpoint renders no HTML; there is no web page',
  'xss-sink': 'the endpoint renders no HTML; there is no web page',
  'web-auth-14': 'expiry of tokens is checked by `identify` of the host',
  'web-auth-15': 'the audience of tokens is checked by `identify` of the host',
  'web-auth-16': 'there are no tenants',
  'web-auth-17': 'JWTs are verified by `identify` of the host',
  'web-auth-18': 'JWTs are verified by `identify` of the host',
  'web-auth-19': 'JWTs are verified by `identify` of the host',
  'web-auth-20': 'JWTs are verified by `identify` of the host',
  'web-auth-21': 'JWTs are verified by `identify` of the host',
  'web-auth-22': 'JWTs are verified by `identify` of the host',
  'web-auth-24': 'JWTs are verified by `identify` of the host',
  'web-auth-26': 'JWTs are verified by `identify` of the host',
  'web-auth-29': 'JWEs are decrypted by `identify` of the host',
  'web-auth-31': 'attempts are not counted: rate limits are up to `identify` or a proxy',
  'web-auth-33': 'there are no cookies and no logout',
  'web-auth-34': 'there are no passwords',
  'web-csrf-19': 'there is no page to frame',
  'web-header-08': 'concerns documents; the endpoint serves none',
  'web-header-11': 'the endpoint speaks plain HTTP; HTTPS and its headers are up to a proxy',
  'web-header-13': 'there are no artifacts over HTTP',
  'web-limit-08': 'there is no event stream of runs; a session has one stream, and sessions are 1,000 at most',
  'web-limit-09': 'there is no event stream of runs',
  'web-limit-10': 'there are no WebSockets',
  'web-limit-11': 'there are no WebSockets',
  'web-limit-12': 'there are no WebSockets',
  'web-limit-15':
    'JSON is read by `JSON.parse` of the protocol package: the last of equal keys counts, and nothing reads the body a second way',
  'web-limit-37': 'there is no HTTP/2',
  'web-limit-39': 'answers are not cached and have no ETag',
}

/** Cases that are refused with another status than the one that the case names. */
const AS_STRICT: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  'web-csrf-01': [415, 'the type of the body is what is wrong'],
  'web-csrf-08': [400, 'GET only opens the event stream of a session, and this names none'],
  'web-csrf-03': [415, 'the type of the body is what is wrong'],
  'web-host-06': [403, 'the protocol package answers 403 for a foreign Host'],
  'web-host-07': [403, 'the protocol package answers 403 for a foreign Host'],
  'web-host-14': [403, 'a trailing dot makes another name'],
  'web-host-16': [403, 'the protocol package answers 403 for a foreign Host'],
  'web-host-17': [403, 'the protocol package answers 403 for a foreign Host'],
  'web-limit-20': [414, 'the query is never parsed, and this one is too long'],
  'web-limit-25': [404, 'one path is served, compared as sent'],
}

const CASES = readCorpus<Case>('web')
const GOOD = 'good-token'
const AUTHORIZED = ['Authorization', `Bearer ${GOOD}`] as const
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } })

const service = new AgentService({ agents: [{ id: 'greeter', model: scripted(['Hello.']) }] })
const revoked = new Set<string>()
let server: McpDoor
let port = 0

beforeAll(async () => {
  server = await mcpServer({
    service,
    agents: ['greeter'],
    identify: (request) => {
      const given = request?.headers.get('authorization') ?? ''
      return given === `Bearer ${GOOD}` && !revoked.has(GOOD) ? { id: 'ann', roles: ['owner'] } : undefined
    },
  })
  port = (await server.listen()).port
})
afterAll(async () => {
  await server.close()
  await service.stop()
})

interface Sent {
  readonly method?: string
  readonly target?: string
  readonly version?: string
  readonly host?: readonly string[]
  readonly headers?: readonly Header[]
  /** In place of the headers of a JSON request with this name. */
  readonly type?: string | undefined
  readonly token?: readonly Header[]
  readonly body?: string | Buffer
  readonly at?: number
}

/** Sends a request as it is, by default one that is answered with 200. */
function send(sent: Sent = {}): Promise<Answer> {
  const { method = 'POST', target = '/mcp', version = '1.1', at = port, token = [AUTHORIZED], body = LIST } = sent
  const { host = [`127.0.0.1:${at}`], type = 'application/json', headers = [] } = sent
  const hasBody = method === 'POST'
  const lines: Header[] = [
    ...host.map((name): Header => ['Host', name]),
    ...token,
    ['Accept', 'application/json, text/event-stream'],
    ['Mcp-Protocol-Version', '2026-07-28'],
    ['Mcp-Method', 'tools/list'],
    ...(hasBody
      ? ([
          ['Content-Type', type],
          ['Content-Length', String(Buffer.byteLength(body))],
        ] as const)
      : []),
    ...(headers.some(([name]) => name.toLowerCase() === 'connection') ? [] : [['Connection', 'close'] as const]),
    ...headers,
  ]
  return exchange(requestBytes(`${method} ${target} HTTP/${version}`, lines, hasBody ? body : ''), at)
}

const ownPort = (text: string): string => text.replace('8787', String(port))
const headersIn = (input: Case['input']): Readonly<Record<string, string>> =>
  (input['headers'] ?? {}) as Readonly<Record<string, string>>

/** The statuses that a case allows: `400|421`, `415 or 413`, or our own one where it is listed. */
function allowed(one: Case): readonly number[] {
  const ours = AS_STRICT[one.id]
  if (ours !== undefined) return [ours[0]]
  return [...String(one.expect).matchAll(/\b[1-5]\d\d\b/g)].map(([status]) => Number(status))
}

async function expectStatus(one: Case, sent: Sent): Promise<void> {
  expect(allowed(one), `${one.id} names a status`).not.toEqual([])
  expect(allowed(one)).toContain((await send(sent)).status)
}

type Run = (one: Case) => Promise<void>

async function runAuth(one: Case): Promise<void> {
  const { authorization, token } = one.input
  if (authorization !== undefined) {
    const values = [authorization].flat().map((value) => String(value).replace('<good>', GOOD))
    return expectStatus(one, { token: values.map((value): Header => ['Authorization', value]) })
  }
  if (token === 'revoked') {
    expect((await send()).status).toBe(200)
    revoked.add(GOOD)
    await expectStatus(one, {}).finally(() => revoked.clear())
    return
  }
  const forms: Readonly<Record<string, string>> = {
    '<good> minus one char': GOOD.slice(0, -1),
    '<good> upper-cased': GOOD.toUpperCase(),
  }
  const form = forms[String(token)]
  if (form === undefined) throw new Error(`${one.id}: unknown input`)
  await expectStatus(one, { token: [['Authorization', `Bearer ${form}`]] })
}

/** The one endpoint stands for the paths of the cases. */
async function runCsrf(one: Case): Promise<void> {
  const { method = 'GET', path, body = LIST } = one.input
  const { 'content-type': type, ...others } = headersIn(one.input)
  const headers = Object.entries(others)
  if ('upgrade' in others) headers.push(['Connection', 'close, Upgrade'])
  const query = /\?.*/.exec(String(path))?.[0] ?? ''
  const sent: Sent = { method: String(method), target: `/mcp${query}`, headers, type, body: String(body) }
  if (one.expect === 'no ACAO') {
    const answer = await send(sent)
    expect(answer.status).toBe(403)
    expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  } else if (one.expect === 'token needed') expect((await send({ ...sent, token: [] })).status).toBe(401)
  else await expectStatus(one, sent)
}

async function runHeader(one: Case): Promise<void> {
  const refused = [await send({ token: [] }), await send({ target: '/other' }), await send({ host: ['evil.example'] })]
  const served = await send()
  expect([served, ...refused].map(({ status }) => status)).toEqual([200, 401, 404, 403])
  const names = String(one.input['header']).replace(/ \(.*/, '').split(' / ')
  for (const { headers } of [served, ...refused])
    for (const name of names) expect(headers.get(name) ?? 'absent').toBe(one.expect)
}

const HOSTS: Readonly<Record<string, Run>> = {
  'web-host-21': async (one) => {
    const headers = Object.entries(headersIn(one.input)).filter(([name]) => name !== 'host')
    expect((await send({ headers, token: [] })).status).toBe(401)
    expect((await send({ headers })).status).toBe(200)
  },
  'web-host-22': (one) => HOSTS['web-host-21']!(one),
  'web-host-25': (one) => expectStatus(one, { version: '1.0', host: [] }),
  'web-host-26': (one) => expectStatus(one, { host: [`127.0.0.1:${port}`, `localhost:${port}`] }),
  'web-host-27': async (one) => {
    const { url, close } = await server.listen()
    await close()
    expect(`${new URL(url).hostname} only`).toBe(one.expect)
  },
  'web-host-28': async () => {
    const open = await mcpServer({ service, agents: ['greeter'] })
    await expect(open.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await open.close()
  },
  'web-host-29': async () => {
    const { port: at, close } = await server.listen({ host: '0.0.0.0' })
    expect((await send({ at, token: [] })).status).toBe(401)
    expect((await send({ at })).status).toBe(200)
    await close()
  },
  // The address of the peer is never looked at, so a local one without a token is refused as well.
  'web-host-30': (one) => expectStatus(one, { host: [`localhost:${port}`], token: [] }),
}

async function runHost(one: Case): Promise<void> {
  const run = HOSTS[one.id]
  if (run !== undefined) return run(one)
  const { host: given } = headersIn(one.input)
  if (given === undefined) throw new Error(`${one.id}: unknown input`)
  await expectStatus(one, { host: [ownPort(given)] })
}

const LARGE = 100_000
const target = (one: Case): string =>
  String(one.input['path']).replace('/api/runs', '/mcp').replace('/API/runs', '/MCP')
const toPath: Run = (one) => expectStatus(one, { target: target(one) })
const withMethod: Run = (one) => expectStatus(one, { method: String(one.input['method']) })

const LIMITS: Readonly<Record<string, Run>> = {
  'web-limit-04': async (one) => {
    const slow = await serveFetch(async () => new Response(), { port: 0, host: '127.0.0.1', path: '/', headersMs: 200 })
    expect(allowed(one)).toContain((await exchange(Buffer.from('GET / HTTP/1.1\r\nHost: l'), slow.port)).status)
    await slow.close()
  },
  'web-limit-05': (one) => expectStatus(one, { headers: [['X-Long', 'x'.repeat(LARGE)]] }),
  'web-limit-06': (one) => expectStatus(one, { target: `/mcp?${'x'.repeat(LARGE)}` }),
  'web-limit-07': async () => {
    const few = await serveFetch(async () => new Response(), { port: 0, host: '127.0.0.1', path: '/', connections: 2 })
    const idle = [connect(few.port, '127.0.0.1'), connect(few.port, '127.0.0.1')]
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    const request = { at: few.port, target: '/' }
    expect((await send(request)).status).toBeNaN()
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())))
    await expect.poll(async () => (await send(request)).status).toBe(200)
    await few.close()
  },
  'web-limit-13': async (one) => {
    const depth = 100_000
    await expectStatus(one, { body: LIST.replace('{}', `${'['.repeat(depth)}${']'.repeat(depth)}`) })
    await expectStatus(one, { body: '['.repeat(depth) + ']'.repeat(depth) })
  },
  'web-limit-16': (one) => expectStatus(one, { body: LIST.replace('"id":1', '"id":NaN') }),
  'web-limit-19': (one) =>
    expectStatus(one, { headers: [['Content-Encoding', 'gzip']], body: gzipSync(Buffer.alloc(10_000_000, ' ')) }),
  'web-limit-20': (one) => expectStatus(one, { target: `/mcp?${'a[b][c]=1&'.repeat(10_000)}` }),
  'web-limit-23': toPath,
  'web-limit-25': toPath,
  'web-limit-26': toPath,
  'web-limit-27': toPath,
  'web-limit-28': async (one) => expect((await send({ target: target(one), token: [] })).status).toBe(404),
  'web-limit-30': toPath,
  'web-limit-31': async () => {
    const range = `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}`
    expect((await send({ headers: [['Range', range]] })).status).toBe(200)
  },
  'web-limit-32': (one) => expectStatus(one, { headers: [['Transfer-Encoding', 'chunked']] }),
  'web-limit-35': withMethod,
  'web-limit-36': withMethod,
}

async function runLimit(one: Case): Promise<void> {
  const run = LIMITS[one.id]
  if (run === undefined) throw new Error(`${one.id}: unknown input`)
  await run(one)
}

const RUNNERS: Readonly<Record<string, Run>> = {
  auth: runAuth,
  csrf: runCsrf,
  header: runHeader,
  host: runHost,
  limit: runLimit,
}
const isBuilt = ({ id, category }: Case): boolean => !(id in NOT_BUILT) && !(category in NOT_BUILT)

test('a plain request is served', async () => {
  const answer = await send()
  expect(answer.status).toBe(200)
  expect(answer.text).toContain('greeter')
})

test('a body that is too large is refused', async () => {
  expect((await send({ body: LIST.replace('{}', `"${'x'.repeat(5_000_000)}"`) })).status).toBe(413)
})

test('a page of this server itself is served', async () => {
  const own = `127.0.0.1:${port}`
  expect((await send({ host: [own], headers: [['Origin', `http://${own}`]] })).status).toBe(200)
})

test.each(CASES.filter(isBuilt).map((one) => [one.id, one.reason, one] as const))(
  '%s: %s',
  async (_id, _reason, one) => {
    const run = RUNNERS[one.category]
    expect(run, `a runner of the category ${one.category}`).toBeDefined()
    await run!(one)
  },
)

test('the lists of exceptions name cases of the corpus only', () => {
  const names = new Set(CASES.flatMap(({ id, category }) => [id, category]))
  expect([...Object.keys(NOT_BUILT), ...Object.keys(AS_STRICT)].filter((name) => !names.has(name))).toEqual([])
  expect(Object.keys(AS_STRICT).filter((id) => id in NOT_BUILT)).toEqual([])
})
