import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { httpServer } from '../../src/server/index.ts'
import type { Route } from '../../src/server/index.ts'
import { serveFetch } from '../../src/server/listener.ts'
import { readCorpus } from '../corpora/read-corpus.ts'
import { runRbac, runSink, runXss } from './corpus-access.ts'
import {
  AS_STRICT,
  GOOD,
  RUN,
  allowed,
  as,
  bearer,
  closeBench,
  expectStatus,
  headersIn,
  open,
  openBench,
  ownPort,
  portOf,
  send,
  serverWith,
  service,
  start,
  told,
} from './corpus-bench.ts'
import type { Case, Run, Sent } from './corpus-bench.ts'
import { exchange } from './raw-requests.ts'
import type { Answer, Header } from './raw-requests.ts'

/** Cases about what the server does not have. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  'web-auth-34': 'there are no passwords: tokens are drawn at random and kept as SHA-256',
  'web-xss-sink-03': 'sessions have no titles',
  'web-xss-sink-04': 'there is no tree of files',
  'web-xss-sink-07': 'there is no route to the keys of stores',
  'web-xss-sink-08': 'there is no route to columns of databases',
  'web-xss-sink-09': 'there are no previews',
  'web-xss-sink-13': 'files of runs are not served',
}

const CASES = readCorpus<Case>('web')

beforeAll(openBench)
afterAll(closeBench)

const encoded = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token in the shape of the case: a JWT is no token of this server, however it is signed. */
function forged(one: Case): string {
  const what = String(one.input['jwt'] ?? one.input['jwe'])
  const payload = { sub: 'owner', roles: ['owner'], ...(what === 'exp missing' ? {} : { exp: 4_000_000_000 }) }
  const headers: Readonly<Record<string, object>> = {
    'alg none': { alg: 'none' },
    'kid ../../dev/null': { alg: 'HS256', kid: '../../dev/null' },
    'jku https://evil.example': { alg: 'RS256', jku: 'https://evil.example' },
    'jwk in header': { alg: 'ES256', jwk: { kty: 'EC' } },
    'zip bomb': { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
  }
  const text = `${encoded(headers[what] ?? { alg: 'HS256' })}.${encoded(what === 'exp 1e999' ? '{"sub":"owner","exp":1e999}' : payload)}`
  if (what === 'alg none' || what === 'signature stripped') return `${text}.`
  return `${text}.${createHmac('sha256', '').update(text).digest('base64url')}`
}

const AUTH: Readonly<Record<string, Run>> = {
  revoked: async (one) => {
    const { server, at } = await serverWith({})
    expect((await send({ at })).status).toBe(200)
    expect(server.revoke(GOOD)).toBe(true)
    await expectStatus(one, { at })
  },
  expired: async (one) => {
    const identity = { id: 'ann', roles: ['owner'] }
    const old = { token: 'token-that-has-expired', identity, expiresAt: Date.now() - 1 }
    const { at } = await serverWith({ tokens: [old, { token: GOOD, identity, expiresAt: Date.now() + 60_000 }] })
    expect((await send({ at })).status).toBe(200)
    await expectStatus(one, { at, token: [bearer(old.token)] })
  },
  'valid for another audience': async (one) => {
    const identity = { id: 'ann', roles: ['owner'] }
    const there = { token: 'token-for-another-server', identity, audience: 'other' }
    const { at } = await serverWith({ audience: 'here', tokens: [there, { token: GOOD, identity, audience: 'here' }] })
    expect((await send({ at })).status).toBe(200)
    await expectStatus(one, { at, token: [bearer(there.token)] })
  },
  'valid for another tenant': async (one) => {
    const { id } = await start('operator', 'echo')
    for (const rest of ['', '/result', '/entries', '/export', '/messages', '/events', '/verify'])
      await expectStatus(one, { ...as('other'), target: `/api/runs/${id}${rest}` })
    for (const rest of ['cancel', 'resume', 'fork'])
      await expectStatus(one, { ...as('other'), method: 'POST', target: `/api/runs/${id}/${rest}`, body: '{}' })
    expect((await send({ ...as('operator'), target: `/api/runs/${id}` })).status).toBe(200)
  },
}

async function runAuth(one: Case): Promise<unknown> {
  const { authorization, token, brute, logout } = one.input
  if (authorization !== undefined) {
    const values = [authorization].flat().map((value) => String(value).replace('<good>', GOOD))
    return expectStatus(one, { token: values.map((value): Header => ['Authorization', value]) })
  }
  if (brute !== undefined) {
    const { at } = await serverWith({})
    const statuses: number[] = []
    while (statuses.at(-1) !== 429 && statuses.length < 10_000)
      statuses.push((await send({ at, token: [bearer(`wrong-token-${statuses.length}-of-many`)] })).status)
    expect(statuses.length).toBeLessThan(100)
    expect(allowed(one)).toEqual([statuses.at(-1)])
    // Whoever has a good token is not locked out by those who have none.
    expect((await send({ at })).status).toBe(200)
    return undefined
  }
  if (logout !== undefined)
    return expectStatus(one, { token: [], headers: [['Cookie', `session=${GOOD}; token=${GOOD}`]] })
  if ('jwt' in one.input || 'jwe' in one.input) return expectStatus(one, { token: [bearer(forged(one))] })
  const run = AUTH[String(token)]
  if (run !== undefined) return run(one)
  const forms: Readonly<Record<string, string>> = {
    '<good> minus one char': GOOD.slice(0, -1),
    '<good> upper-cased': GOOD.toUpperCase(),
  }
  const form = forms[String(token)]
  if (form === undefined) throw new Error(`${one.id}: unknown input`)
  return expectStatus(one, { token: [bearer(form)] })
}

async function runCsrf(one: Case): Promise<unknown> {
  const { method = 'GET', path, body = RUN, frame } = one.input
  const { 'content-type': type, ...others } = headersIn(one.input)
  const headers = Object.entries(others)
  if ('upgrade' in others) headers.push(['Connection', 'close, Upgrade'])
  const target = String(path).replace(/ .*/, '')
  const sent: Sent = { method: String(method), target, headers, type, body: String(body) }
  if (frame !== undefined) {
    const answer = await send(sent)
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    return expect(answer.headers.get('x-frame-options')).toBe('DENY')
  }
  if (one.expect === 'no ACAO') {
    const answer = await send(sent)
    expect(answer.status).toBe(403)
    return expect(answer.headers.has('access-control-allow-origin')).toBe(false)
  }
  if (one.expect === 'token needed') return expect((await send({ ...sent, token: [] })).status).toBe(401)
  return expectStatus(one, sent)
}

const HEADERS: Readonly<Record<string, Run>> = {
  'web-header-11': async (one) => {
    expect((await send()).headers.has('strict-transport-security')).toBe(false)
    const { server } = await serverWith({ hosts: ['agents.example'] })
    const request = new Request('https://agents.example/healthz', { headers: { host: 'agents.example' } })
    expect((await server.fetch(request)).headers.get('strict-transport-security')).toBe(one.expect)
  },
  // There are no artifacts: every answer is data, and no document says otherwise.
  'web-header-13': async () => {
    const { paths } = (await told({ target: '/openapi.json' })) as { paths: object }
    const types = [...JSON.stringify(paths).matchAll(/"content":\{"([^"]+)"/g)].map(([, type]) => type)
    expect(types.length).toBeGreaterThan(50)
    expect(types.filter((type) => /html|svg|xml/.test(type!))).toEqual([])
  },
}

async function runHeader(one: Case): Promise<unknown> {
  const run = HEADERS[one.id]
  if (run !== undefined) return run(one)
  const refused = [
    await send({ token: [] }),
    await send({ target: '/other' }),
    await send({ host: ['evil.example'] }),
    await send({ target: '//' }),
  ]
  const served = await send()
  expect([served, ...refused].map(({ status }) => status)).toEqual([200, 401, 404, 421, 404])
  const names = String(one.input['header']).replace(/ \(.*/, '').split(' / ')
  for (const { headers } of [served, ...refused])
    for (const name of names) expect(headers.get(name) ?? 'absent').toBe(one.expect)
  return undefined
}

const HOSTS: Readonly<Record<string, Run>> = {
  'web-host-21': async (one) => {
    const headers = Object.entries(headersIn(one.input)).filter(([name]) => name !== 'host')
    expect((await send({ headers, token: [] })).status).toBe(401)
    const answer = await send({ headers })
    expect([answer.status, answer.headers.has('strict-transport-security')]).toEqual([200, false])
  },
  'web-host-22': (one) => HOSTS['web-host-21']!(one),
  'web-host-25': (one) => expectStatus(one, { version: '1.0', host: [] }),
  'web-host-26': (one) => expectStatus(one, { host: [`127.0.0.1:${portOf()}`, `localhost:${portOf()}`] }),
  'web-host-27': async (one) => {
    const { url } = await open[0]!.listen()
    expect(`${new URL(url).hostname} only`).toBe(one.expect)
  },
  'web-host-28': async () => {
    expect(() => httpServer(service, {})).toThrow(/Anyone could use this server/)
  },
  'web-host-29': async () => {
    const { port: at } = await open[0]!.listen({ host: '0.0.0.0' })
    expect((await send({ at, token: [] })).status).toBe(401)
    expect((await send({ at })).status).toBe(200)
  },
  // The address of the peer is never looked at for who it is, so a local one without a token is refused as well.
  'web-host-30': (one) => expectStatus(one, { host: [`localhost:${portOf()}`], token: [] }),
}

async function runHost(one: Case): Promise<unknown> {
  const run = HOSTS[one.id]
  if (run !== undefined) return run(one)
  const { host: given } = headersIn(one.input)
  if (given === undefined) throw new Error(`${one.id}: unknown input`)
  return expectStatus(one, { host: [ownPort(given)] })
}

const LARGE = 100_000
const toPath: Run = (one) => expectStatus(one, { target: String(one.input['path']) })
const withMethod: Run = (one) => expectStatus(one, { method: String(one.input['method']) })
const withBody = (one: Case, body: string): Promise<Answer> => expectStatus(one, { method: 'POST', body })

/** What there is of WebSockets: nothing. The request is answered like any other, and the connection closed. */
const noUpgrade: Run = async () => {
  const upgrade: readonly Header[] = [
    ['Connection', 'close, Upgrade'],
    ['Upgrade', 'websocket'],
    ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
    ['Sec-WebSocket-Version', '13'],
    ['Sec-WebSocket-Extensions', 'permessage-deflate'],
  ]
  expect((await send({ target: '/api/ws', headers: upgrade })).status).toBe(404)
}

/** Event streams that never end, and how much of them was asked for. */
function streaming(chunk: Uint8Array | undefined): { readonly route: Route; readonly pulls: () => number } {
  let pulls = 0
  const route: Route = {
    method: 'GET',
    path: '/api/endless',
    summary: 'Never ends.',
    tag: 'test',
    access: 'identity',
    answer: { status: 200, stream: true },
    handle: async () => {
      const pull = (controller: ReadableStreamDefaultController): void => {
        pulls++
        if (chunk !== undefined) controller.enqueue(chunk)
      }
      return new Response(new ReadableStream(chunk === undefined ? {} : { pull }), {
        headers: { 'content-type': 'text/event-stream' },
      })
    },
  }
  return { route, pulls: () => pulls }
}

const LIMITS: Readonly<Record<string, Run>> = {
  'web-limit-04': async (one) => {
    const slow = await serveFetch(async () => new Response(), { port: 0, host: '127.0.0.1', headersMs: 200 })
    expect(allowed(one)).toContain((await exchange('GET / HTTP/1.1\r\nHost: l', slow.port)).status)
    await slow.close()
  },
  'web-limit-05': (one) => expectStatus(one, { headers: [['X-Long', 'x'.repeat(LARGE)]] }),
  'web-limit-06': (one) => expectStatus(one, { target: `/api/runs?${'x'.repeat(LARGE)}` }),
  'web-limit-07': async () => {
    const { at } = await serverWith({ limits: { connections: 2 } })
    const idle = [connect(at, '127.0.0.1'), connect(at, '127.0.0.1')]
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))))
    expect((await send({ at })).status).toBeNaN()
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())))
    await expect.poll(async () => (await send({ at })).status).toBe(200)
  },
  'web-limit-08': async () => {
    const { route } = streaming(undefined)
    const { at } = await serverWith({ parts: [{ routes: [route] }], limits: { streams: 2 } })
    const sockets = [1, 2].map(() => connect(at, '127.0.0.1'))
    const request = `GET /api/endless HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\nAuthorization: Bearer ${GOOD}\r\n\r\n`
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve).write(request))))
    expect((await send({ at, target: '/api/endless' })).status).toBe(429)
    for (const socket of sockets) socket.destroy()
    // The places of streams that ended are free again.
    await expect.poll(async () => statusOfStream(at)).toBe(200)
  },
  'web-limit-09': async () => {
    const { route, pulls } = streaming(new Uint8Array(LARGE).fill(0x20))
    const { at } = await serverWith({ parts: [{ routes: [route] }] })
    const socket = connect(at, '127.0.0.1')
    socket.write(`GET /api/endless HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\nAuthorization: Bearer ${GOOD}\r\n\r\n`)
    await new Promise((resolve) => socket.once('readable', resolve))
    let before = -1
    // What the system buffers is filled; then nothing more is asked for.
    await expect
      .poll(
        () => {
          const isQuiet = pulls() === before
          before = pulls()
          return isQuiet
        },
        { interval: 200 },
      )
      .toBe(true)
    expect(pulls()).toBeLessThan(200)
    socket.destroy()
  },
  'web-limit-10': noUpgrade,
  'web-limit-11': noUpgrade,
  'web-limit-12': noUpgrade,
  'web-limit-13': async (one) => {
    const depth = 100_000
    await withBody(one, `{"agent":"echo","context":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    await withBody(one, '['.repeat(depth) + ']'.repeat(depth))
    await withBody(one, '['.repeat(depth))
    const deep = `{"agent":"echo","prompt":"${'['.repeat(1_000)}"}`
    expect((await send({ method: 'POST', body: deep })).status).toBe(202)
  },
  'web-limit-15': (one) => withBody(one, '{"agent":"echo","prompt":"a","prompt":"b"}'),
  'web-limit-16': (one) => withBody(one, '{"agent":"echo","prompt":"a","context":NaN}'),
  'web-limit-19': (one) =>
    expectStatus(one, {
      method: 'POST',
      headers: [['Content-Encoding', 'gzip']],
      body: gzipSync(Buffer.alloc(10_000_000, ' ')),
    }),
  'web-limit-20': async (one) => {
    await expectStatus(one, { target: `/api/runs?${'a[b][c]=1&'.repeat(10_000)}` })
    expect((await send({ target: `/api/runs?${'a[b][c]=1&'.repeat(10)}` })).status).toBe(400)
  },
  'web-limit-23': toPath,
  'web-limit-25': toPath,
  'web-limit-26': toPath,
  'web-limit-27': toPath,
  'web-limit-28': async (one) => {
    expect((await send({ target: String(one.input['path']), token: [] })).status).toBe(401)
    expect((await send({ target: String(one.input['path']) })).status).toBe(404)
  },
  'web-limit-30': toPath,
  'web-limit-31': async () => {
    const range = `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}`
    expect((await send({ headers: [['Range', range]] })).status).toBe(200)
  },
  'web-limit-32': (one) => expectStatus(one, { method: 'POST', headers: [['Transfer-Encoding', 'chunked']] }),
  'web-limit-35': withMethod,
  'web-limit-36': withMethod,
  // HTTP/2 is not spoken: its first bytes are no request.
  'web-limit-37': async () => {
    const { status } = await exchange('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', portOf())
    expect(status === 400 || Number.isNaN(status)).toBe(true)
  },
  'web-limit-39': async () => {
    const answer = await send({ headers: [['If-None-Match', 'W/"x", *']] })
    expect([answer.status, answer.headers.has('etag')]).toEqual([200, false])
  },
}

function statusOfStream(at: number): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(at, '127.0.0.1')
    socket.once('data', (data: Buffer) => {
      socket.destroy()
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]))
    })
    socket.write(`GET /api/endless HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\nAuthorization: Bearer ${GOOD}\r\n\r\n`)
  })
}

async function runLimit(one: Case): Promise<unknown> {
  const run = LIMITS[one.id]
  if (run === undefined) throw new Error(`${one.id}: unknown input`)
  return run(one)
}

const RUNNERS: Readonly<Record<string, Run>> = {
  auth: runAuth,
  csrf: runCsrf,
  header: runHeader,
  host: runHost,
  limit: runLimit,
  rbac: runRbac,
  xss: runXss,
  'xss-sink': runSink,
}

test('a plain request is served', async () => {
  expect((await send()).status).toBe(200)
  expect((await send({ method: 'POST' })).status).toBe(202)
})

test('a body that is too large is refused, also one that does not say how long it is', async () => {
  const body = JSON.stringify({ agent: 'echo', prompt: 'x'.repeat(5_000_000) })
  expect((await send({ method: 'POST', body })).status).toBe(413)
  const chunked = `POST /api/runs HTTP/1.1\r\nHost: 127.0.0.1:${portOf()}\r\nAuthorization: Bearer ${GOOD}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`
  const sized = `${(5_000_000).toString(16)}\r\n${'x'.repeat(5_000_000)}\r\n0\r\n\r\n`
  expect((await exchange(chunked + sized, portOf())).status).toBe(413)
})

test.each(['/api/agents/%2e%2e/runs', '/api/agents/../runs', '/api/./runs', '/x/..%2fapi/runs'])(
  '%s is no way to another path',
  async (target) => expect((await send({ target })).status).toBe(404),
)

test('a body that comes too slowly is answered with 408', async () => {
  const limits = { port: 0, host: '127.0.0.1', headersMs: 200, requestMs: 300 }
  const slow = await serveFetch(async (request) => new Response(await request.text()), limits)
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nContent-Length: 10\r\n\r\nx`
  expect((await exchange(head, slow.port)).status).toBe(408)
  await slow.close()
})

test('a page of this server itself is served, and one of a listed origin may read the answer', async () => {
  const own = `127.0.0.1:${portOf()}`
  expect((await send({ host: [own], headers: [['Origin', `http://${own}`]] })).status).toBe(200)
  const { at } = await serverWith({ origins: ['https://app.example'] })
  const answer = await send({ at, headers: [['Origin', 'https://app.example']] })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example'])
  const asked = await send({ at, method: 'OPTIONS', token: [], headers: [['Origin', 'https://app.example']] })
  expect([asked.status, asked.headers.get('access-control-allow-methods')]).toEqual([
    204,
    'GET, POST, PUT, PATCH, DELETE',
  ])
})

test.each(CASES.filter(({ id }) => !(id in NOT_OFFERED)).map((one) => [one.id, one.reason, one] as const))(
  '%s: %s',
  async (_id, _reason, one) => {
    const run = RUNNERS[one.category]
    expect(run, `a runner of the category ${one.category}`).toBeDefined()
    await run!(one)
  },
)

test('the lists of exceptions name cases of the corpus only', () => {
  const names = new Set(CASES.map(({ id }) => id))
  expect([...Object.keys(NOT_OFFERED), ...Object.keys(AS_STRICT)].filter((name) => !names.has(name))).toEqual([])
  expect(Object.keys(AS_STRICT).filter((id) => id in NOT_OFFERED)).toEqual([])
})
