import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { type AddressInfo, type Socket, createServer as createSocketServer } from 'node:net'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { MandateError } from 'mandate'
import type { Json } from 'mandate'
import { httpFetch } from 'mandate/connect'
import type { HttpFetchOptions } from '../../src/connect/http/http-fetch.ts'
import type { ToolContext } from 'mandate/tool'
import { describe, expect, it, onTestFinished } from 'vitest'
import { withoutCheck } from '../../src/connect/checks.ts'
import { readCorpus, readOwn } from '../corpora/read-corpus.ts'

interface Case {
  readonly id: string
  readonly category: string
  readonly input: {
    readonly url: string
    readonly method?: string
    readonly headers?: { readonly [name: string]: string }
    readonly body?: string
    readonly allow?: readonly string[]
    readonly dns?: { readonly [host: string]: readonly string[] | readonly (readonly string[])[] }
    readonly server?: { readonly [what: string]: Json }
  }
  readonly expect: string
  readonly reason: string
  /** What ends it, where it must be ended. */
  readonly error?: string
}

const cases = [...readCorpus<Case>('ssrf'), ...readOwn<Case>('ssrf')]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const REFUSALS: readonly string[] = ['DENIED', 'INPUT_INVALID', 'SCHEMA_INVALID']

describe('the corpus of hostile addresses', () => {
  for (const one of cases.filter(({ input, category }) => input.server === undefined && category !== 'rebind')) {
    it(`${one.id}: ${one.reason}`, async () => {
      const { code, asked } = await attempt(one)
      if (one.expect === 'deny') expect([one.input.url, REFUSALS.includes(code)]).toEqual([one.input.url, true])
      // What is allowed gets as far as the network, which is not there.
      else expect([code, asked.length > 0]).toEqual(['CONNECTOR_FAILED', true])
    })
  }

  it.each(cases.filter(({ category }) => category === 'rebind').map((one) => [one.id, one] as const))(
    '%s: a name that answers differently the second time gains nothing',
    async (_, { input }) => {
      const sentinel = await listening(createServer((_request, response) => response.end('reached')))
      const host = new URL(input.url).hostname
      const answers = [...(input.dns![host] as readonly (readonly string[])[])]
      const resolve = async (): Promise<readonly string[]> => (answers.length > 1 ? answers.shift()! : answers[0]!)
      const options = {
        allow: [`${host}:${sentinel.port}`],
        resolve,
        retry: { attempts: 2, backoffMs: 1 },
        timeoutMs: 4_000,
      }
      const { code } = await call({ url: `http://${host}:${sentinel.port}/` }, options)
      expect(['DENIED', 'CONNECTOR_FAILED', 'TIMEOUT']).toContain(code)
      expect(sentinel.connections()).toBe(0)
    },
  )

  for (const one of cases.filter(({ input }) => input.server !== undefined)) {
    it(`${one.id}: ${one.reason}`, { timeout: 30_000 }, async ({ skip }) => {
      if (one.input.server!['tls'] !== undefined) skip('certificates are checked by the platform')
      expect.hasAssertions()
      await runServer(one)
    })
  }

  it.each([
    ['http.allow-list', 'own-redirect-18'],
    ['http.strip-headers', 'ssrf-redirect-12'],
    ['http.body-cap', 'ssrf-limit-01'],
  ] as const)('without %s the case %s fails', { timeout: 30_000 }, async (check, id) => {
    const one = cases.find((candidate) => candidate.id === id)!
    await expect(withoutCheck(check, () => runServer(one))).rejects.toThrow('expected')
  })

  it('without http.addresses names that lead to this machine are reached', async () => {
    const { code } = await attempt({
      ...cases[0]!,
      input: { url: 'http://x.example:1/', dns: { 'x.example': ['127.0.0.1'] }, allow: ['x.example:1'] },
    })
    expect(code).toBe('DENIED')
    const without = await withoutCheck('http.addresses', () =>
      attempt({
        ...cases[0]!,
        input: { url: 'http://x.example:1/', dns: { 'x.example': ['127.0.0.1'] }, allow: ['x.example:1'] },
      }),
    )
    expect(without.code).toBe('CONNECTOR_FAILED')
  })

  it('has no kind of server, and no expectation, that is not run', () => {
    for (const { id, input, expect: expected } of cases.filter((one) => one.input.server !== undefined)) {
      const stray = Object.keys(input.server!).filter((kind) => !KINDS.has(kind))
      expect([id, stray, EXPECTED.has(expected)]).toEqual([id, [], true])
    }
  })
})

/** What a server of the corpus may do. */
const KINDS = new Set([
  ...['status', 'location', 'html', 'body', 'contentType', 'contentLength', 'gzipBomb', 'brotliBomb', 'zstdBomb'],
  ...[
    'slowHeaders',
    'slowBody',
    'noResponse',
    'redirects',
    'trailers',
    'count',
    'earlyHints',
    'keepAliveThenGarbage',
    'tls',
  ],
])
const EXPECTED = new Set(['deny', 'regate', 'strip', 'ignore', 'safe', 'bounded'])

/** Runs one case with a server; throws where anything that it states does not hold. */
async function runServer(one: Case): Promise<void> {
  const inner = await listening(createServer((_request, response) => response.end('an inner service')))
  const seen: IncomingMessage[] = []
  const elsewhere: IncomingMessage[] = []
  // Another origin that may be reached as well.
  const other = await listening(
    createServer((request, response) => {
      elsewhere.push(request)
      response.end('another origin')
    }),
  )
  const server = await serverFor(one, { inner: inner.port, other: other.port }, seen)
  const place = `127.0.0.1:${server.port}`
  const { url, method, headers, body } = one.input
  const input = { url: `http://${place}${new URL(url).pathname}`, ...defined({ method, headers, body }) }
  const allow = [`http://${place}/v1/*`, `127.0.0.1:${other.port}`]
  const outcome = await call(input, { allow, timeoutMs: 1_500, maxBytes: MAX_BYTES })
  expect(inner.connections()).toBe(0)
  expect(seen.length).toBeLessThan(10)
  switch (one.expect) {
    case 'regate':
      expect(elsewhere).toEqual([])
      return expect(outcome.code).toBe('DENIED')
    case 'deny':
      return expect(outcome.code).toBe('DENIED')
    case 'strip':
      expect([outcome.code, elsewhere.length]).toEqual(['ok', 1])
      expect(seen[0]!.headers).toMatchObject({ authorization: 'Bearer x' })
      for (const name of ['authorization', 'cookie']) expect(elsewhere[0]!.headers).not.toHaveProperty(name)
      return
    case 'safe':
    case 'ignore':
      expect(elsewhere).toEqual([])
      return expect(outcome.code).toBe('ok')
    case 'bounded':
      return expectBounded(one, outcome)
    default:
      throw new Error(`${one.id} expects "${one.expect}", which nothing here can show`)
  }
}

const MAX_BYTES = 50_000

/** What ends each of them: the size, the time, the number of redirects, or the protocol. */
function expectBounded({ error, input }: Case, { code, value }: Called): void {
  expect(value?.body.length ?? 0).toBeLessThanOrEqual(MAX_BYTES)
  const kinds = Object.keys(input.server!)
  if (error === 'E_TIMEOUT') expect(code).toBe('TIMEOUT')
  else if (error === 'E_REDIRECTS' || kinds.includes('redirects')) expect(code).toBe('CONNECTOR_FAILED')
  // Nobody asked for this encoding, so it is given as it came, packed.
  else if (kinds.includes('zstdBomb')) expect([code, value?.truncated]).toEqual(['ok', false])
  else if (kinds.some((kind) => kind.endsWith('Bomb'))) expect([code, value?.truncated]).toEqual(['ok', true])
  else if (kinds.includes('keepAliveThenGarbage')) expect([code, value?.body]).toEqual(['ok', 'x'])
  else
    expect(['ok:true', 'CONNECTOR_FAILED:undefined', 'TIMEOUT:undefined']).toContain(
      `${code}:${String(value?.truncated)}`,
    )
}

function defined(members: { readonly [name: string]: Json | undefined }): { [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

async function attempt({ input }: Case): Promise<{ code: string; asked: readonly string[] }> {
  const asked: string[] = []
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host)
    const found = input.dns?.[host] as readonly string[] | undefined
    if (found !== undefined && host !== 'api.ok.example' && host !== 'public.example') return found
    throw new Error('ENOTFOUND')
  }
  const { url, method, headers, body } = input
  const { code } = await call({ url, ...defined({ method, headers, body }) }, { allow: input.allow ?? ['*'], resolve })
  return { code, asked }
}

interface Called {
  readonly code: string
  readonly value?: { readonly body: string; readonly truncated?: boolean }
}

/** Calls the tool the way a run does: validated first. */
async function call(input: { [name: string]: Json }, options: HttpFetchOptions): Promise<Called> {
  const tool = httpFetch({ methods: METHODS, retry: { attempts: 1, backoffMs: 1 }, timeoutMs: 3_000, ...options })
  const checked = await tool.validate(input)
  if (!checked.valid) return { code: 'SCHEMA_INVALID' }
  const context = {
    signal: new AbortController().signal,
    idempotencyKey: 'k',
    emit: () => {},
  } as unknown as ToolContext
  try {
    return { code: 'ok', value: (await tool.run(checked.value, context)) as { body: string; truncated?: boolean } }
  } catch (error) {
    return { code: MandateError.isInstance(error) ? error.code : String(error) }
  }
}

async function listening(
  server: Server | ReturnType<typeof createSocketServer>,
): Promise<{ port: number; connections(): number }> {
  let connections = 0
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** A server that misbehaves as the case says. */
interface Ports {
  readonly inner: number
  readonly other: number
}

function serverFor({ input }: Case, ports: Ports, seen: IncomingMessage[]): Promise<{ port: number }> {
  const how = input.server!
  if (
    how['status'] === 100 ||
    how['earlyHints'] !== undefined ||
    how['trailers'] !== undefined ||
    how['keepAliveThenGarbage'] !== undefined ||
    how['slowHeaders'] !== undefined
  )
    return listening(createSocketServer((socket) => rawAnswer(socket, how)))
  return listening(
    createServer((request, response) => {
      seen.push(request)
      answer(response, how, ports)
    }),
  )
}

const ZEROES = Buffer.alloc(20_000_000)
// Made before any call: packing takes longer than the calls may.
const BOMBS = {
  gzip: gzipSync(ZEROES),
  br: brotliCompressSync(ZEROES, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zstdCompressSync(ZEROES),
}

function answer(response: ServerResponse, how: { readonly [what: string]: Json }, { inner, other }: Ports): void {
  response.on('error', () => {})
  if (how['noResponse'] === true) return
  if (how['gzipBomb'] !== undefined) return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(BOMBS.gzip)
  if (how['brotliBomb'] !== undefined) return void response.writeHead(200, { 'content-encoding': 'br' }).end(BOMBS.br)
  if (how['zstdBomb'] !== undefined) return void response.writeHead(200, { 'content-encoding': 'zstd' }).end(BOMBS.zstd)
  if (how['contentLength'] !== undefined) {
    response.writeHead(200, { 'content-length': String(how['contentLength']) })
    return void response.write('x'.repeat(100_000))
  }
  if (how['slowBody'] !== undefined) return void response.writeHead(200).write('x')
  if (how['redirects'] !== undefined) return void response.writeHead(302, { location: '/v1/next' }).end()
  if (how['location'] !== undefined) {
    const location = String(how['location'])
      .replace(/\/\/(127\.0\.0\.1|2130706433)(?!:)/, `//$1:${inner}`)
      .replace('https://other.ok.example', `http://127.0.0.1:${other}`)
    return void response.writeHead(Number(how['status'] ?? 302), { location }).end()
  }
  const isKnown = ['html', 'body', 'contentType', 'status'].some((kind) => how[kind] !== undefined)
  if (!isKnown) throw new Error(`no server does ${Object.keys(how).join()}`)
  const type = how['contentType'] === undefined ? 'text/html' : String(how['contentType'])
  response.writeHead(200, { 'content-type': type }).end(String(how['body'] ?? how['html'] ?? 'hello'))
}

function rawAnswer(socket: Socket, how: { readonly [what: string]: Json }): void {
  socket.on('error', () => {})
  if (how['slowHeaders'] !== undefined) return void socket.write('HTTP/1.1 200 OK\r\nx: ')
  if (how['trailers'] !== undefined) {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n')
    return void socket.write('x: y\r\n'.repeat(100_000))
  }
  if (how['keepAliveThenGarbage'] !== undefined)
    return void socket.write(
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxHTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\ngarbage',
    )
  const hint =
    how['status'] === 100 ? 'HTTP/1.1 100 Continue\r\n\r\n' : 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
  socket.write(hint.repeat(20_000))
}
