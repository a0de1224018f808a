import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../core/index.ts'
import { secret } from '../../redact/index.ts'
import { type HttpFetchOptions, httpFetch } from './http-fetch.ts'
import { type Answer, type Loopback, loopback } from '../http.fixture.ts'
import { toolContext } from '../../../test/tools/tool-context.fixture.ts'

const open: Loopback[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()))
})

async function serve(routes: Readonly<Record<string, Answer>>): Promise<Loopback> {
  const server = await loopback(routes)
  open.push(server)
  return server
}

interface Fetched {
  readonly status: number
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
  readonly bytes: number
  readonly truncated: boolean
  readonly encoding?: string
}

const quick = { attempts: 3, backoffMs: 1 }

function get(url: string, options: HttpFetchOptions, input: object = {}, ctx = toolContext()): Promise<Fetched> {
  return httpFetch({ retry: quick, ...options }).run({ url, ...input }, ctx) as Promise<Fetched>
}

const echo: Answer = (request, response, body) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ method: request.method, headers: request.headers, body }))
}

test('without an allow list every call is refused before anything is sent, and the error has the fix', async () => {
  const server = await serve({ '/': echo })
  const tool = httpFetch()
  await expect(tool.run({ url: `${server.url}/` }, toolContext())).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining(`httpFetch({ allow: ['${server.host}'] })`),
  })
  expect(server.seen).toEqual([])
})

test('an allowed host is fetched: status, some headers and the body come back', async () => {
  const server = await serve({
    '/notes': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', etag: '"1"', 'set-cookie': 'a=b' }).end('v2: héllo'),
  })
  const answer = await get(`${server.url}/notes`, { allow: [server.host] })
  expect(answer).toEqual({
    status: 200,
    url: `${server.url}/notes`,
    headers: { 'content-type': 'text/plain', etag: '"1"' },
    body: 'v2: héllo',
    bytes: 10,
    truncated: false,
  })
  expect((await get(`${server.url}/none`, { allow: [server.host] })).status).toBe(404)
})

test('what is not text comes as base64', async () => {
  const server = await serve({
    '/': (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2, 255])),
  })
  expect(await get(server.url, { allow: [server.host] })).toMatchObject({ body: 'AQL/', encoding: 'base64', bytes: 3 })
})

test('schemes other than http, credentials in the URL and texts that are no URL are refused', async () => {
  const server = await serve({ '/': echo })
  const options = { allow: [server.host] }
  await expect(get('file:///etc/passwd', options)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(get(`http://user:pass@${server.host}/`, options)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(get('not a url', options)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  expect(server.seen).toEqual([])
})

test('a server that never answers is given up after the timeout', async () => {
  const server = await serve({ '/': () => undefined })
  await expect(get(server.url, { allow: [server.host], timeoutMs: 100 })).rejects.toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining('longer than 100 ms'),
  })
  expect(server.seen).toHaveLength(1)
})

test('a body that drips without end is given up after the timeout too', async () => {
  const server = await serve({
    '/': (_request, response) => {
      const timer = setInterval(() => response.write('x'), 10)
      response.on('close', () => clearInterval(timer))
    },
  })
  await expect(get(server.url, { allow: [server.host], timeoutMs: 150 })).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('cutting the call ends it at once', async () => {
  const server = await serve({ '/': () => undefined })
  const cutter = new AbortController()
  const run = get(server.url, { allow: [server.host] }, {}, toolContext({ signal: cutter.signal }))
  setTimeout(() => cutter.abort(), 20)
  await expect(run).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('an endless body is truncated at the limit while it streams, and the transfer ends', async () => {
  let stopped: () => void
  const told = new Promise<void>((resolve) => (stopped = resolve))
  const server = await serve({
    '/': (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const more = (): void =>
        void (!response.destroyed && response.write('x'.repeat(65_536), () => setImmediate(more)))
      response.on('close', () => stopped())
      more()
    },
  })
  const answer = await get(server.url, { allow: [server.host], maxBytes: 100_000 })
  expect(answer).toMatchObject({ truncated: true, bytes: 100_000 })
  expect(answer.body).toHaveLength(100_000)
  await told
})

test('a small body that unpacks to a huge one is cut at the cap as well', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000, 'a'))
  const server = await serve({
    '/': (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
  })
  expect(await get(server.url, { allow: [server.host], maxBytes: 10_000 })).toMatchObject({
    truncated: true,
    bytes: 10_000,
  })
})

test('a connection that breaks is tried again, also in the middle of a body', async () => {
  let calls = 0
  const server = await serve({
    '/': (_request, response) => {
      calls++
      if (calls === 1) response.destroy()
      else if (calls === 2) {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' })
        response.write('half')
        setTimeout(() => response.destroy(), 10)
      } else response.end('whole')
    },
  })
  const ctx = toolContext()
  expect((await get(server.url, { allow: [server.host] }, {}, ctx)).body).toBe('whole')
  expect(ctx.emitted.map(({ name }) => name)).toEqual(['http-retry', 'http-retry'])
})

test('a connection that always breaks fails with the reason after the last attempt', async () => {
  const server = await serve({ '/': (_request, response) => response.destroy() })
  await expect(get(server.url, { allow: [server.host] })).rejects.toMatchObject({
    code: 'CONNECTOR_FAILED',
    message: expect.stringMatching(/^GET http:\/\/127\.0\.0\.1:\d+\/ failed: /),
  })
  expect(server.seen).toHaveLength(3)
})

test('after 429 the call waits as long as the server asks, and is then retried', async () => {
  let calls = 0
  const server = await serve({
    '/': (_request, response) => {
      calls++
      if (calls === 1) response.writeHead(429, { 'retry-after': '7' }).end('slow down')
      else if (calls === 2) response.writeHead(503, { 'retry-after': new Date(9_000_000).toUTCString() }).end()
      else response.end('welcome')
    },
  })
  const waits: number[] = []
  // Waits pass at once; only the timeout of the whole call is real.
  const clock: Clock = {
    now: () => 8_989_000,
    timer: (ms, fire) => {
      if (ms === 60_000) return systemClock.timer(ms, fire)
      waits.push(ms)
      return systemClock.timer(0, fire)
    },
  }
  expect((await get(server.url, { allow: [server.host], clock, timeoutMs: 60_000 })).body).toBe('welcome')
  expect(waits).toEqual([7_000, 11_000])
})

test('a server that asks for more time than there is, or never recovers, is answered with its last word', async () => {
  const server = await serve({
    '/later': (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end('tomorrow'),
    '/down': (_request, response) => response.writeHead(500).end('broken'),
  })
  expect(await get(`${server.url}/later`, { allow: [server.host] })).toMatchObject({ status: 429, body: 'tomorrow' })
  expect(await get(`${server.url}/down`, { allow: [server.host] })).toMatchObject({ status: 500, body: 'broken' })
  expect(server.seen.filter((one) => one.endsWith('/later'))).toHaveLength(1)
  expect(server.seen.filter((one) => one.endsWith('/down'))).toHaveLength(3)
})

test('a redirect within the list is followed; one out of it is refused and nothing is sent there', async () => {
  const elsewhere = await serve({ '/': echo })
  const server = await serve({
    '/start': (_request, response) => response.writeHead(302, { location: '/end' }).end(),
    '/end': (_request, response) => response.end('here'),
    '/away': (_request, response) => response.writeHead(302, { location: `${elsewhere.url}/` }).end(),
    '/file': (_request, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/loop': (_request, response) => response.writeHead(302, { location: '/loop' }).end(),
  })
  const options = { allow: [server.host] }
  expect(await get(`${server.url}/start`, options)).toMatchObject({ body: 'here', url: `${server.url}/end` })
  await expect(get(`${server.url}/away`, options)).rejects.toMatchObject({
    code: 'DENIED',
    message: expect.stringContaining(elsewhere.host),
  })
  await expect(get(`${server.url}/file`, options)).rejects.toMatchObject({ code: 'DENIED' })
  await expect(get(`${server.url}/loop`, options)).rejects.toThrow(/redirected more than 5 times/)
  expect(elsewhere.seen).toEqual([])
  expect(server.seen.filter((one) => one === 'GET /loop')).toHaveLength(6)
})

test('credentials do not follow a redirect to another origin, even an allowed one', async () => {
  const other = await serve({ '/': echo })
  const server = await serve({
    '/': (_request, response) => response.writeHead(307, { location: `${other.url}/` }).end(),
  })
  const headers = { authorization: 'Bearer x', 'x-api-key': 'k', accept: 'text/plain' }
  const { body } = await get(server.url, { allow: [server.host, other.host] }, { headers })
  const arrived = (JSON.parse(body) as { headers: Record<string, string> }).headers
  expect(arrived['accept']).toBe('text/plain')
  expect(arrived).not.toHaveProperty('authorization')
  expect(arrived).not.toHaveProperty('x-api-key')
})

test('secrets are handles until the request is made', async () => {
  const server = await serve({ '/': echo })
  const asked: string[] = []
  const ctx = toolContext({
    secrets: async (name) => {
      asked.push(name)
      return `value of ${name}`
    },
  })
  const options = { allow: [server.host], headers: { 'x-own': secret('OWN') } }
  const { body } = await get(server.url, options, { headers: { authorization: secret('TOKEN'), 'x-own': 'mine' } }, ctx)
  const { headers } = JSON.parse(body) as { headers: Record<string, string> }
  expect(headers).toMatchObject({ authorization: 'value of TOKEN', 'x-own': 'value of OWN' })
  expect(asked).toEqual(['TOKEN', 'OWN'])
  await expect(get(server.url, options)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})

test('a secret that is no header value is not shown in the error', async () => {
  const server = await serve({ '/': echo })
  const ctx = toolContext({ secrets: async () => 'line\nbreak' })
  const error = await get(server.url, { allow: [server.host] }, { headers: { a: secret('S') } }, ctx).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'INPUT_INVALID' })
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error as object))).not.toContain('line')
})

test('headers that would change where a request goes or how it is framed are refused', async () => {
  const server = await serve({ '/': echo })
  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Proxy-Authorization', 'connection']) {
    await expect(get(server.url, { allow: [server.host] }, { headers: { [name]: 'x' } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    })
  }
  expect(server.seen).toEqual([])
})

test('the tool reads and may be repeated unless methods that write are granted', async () => {
  const reading = httpFetch({ allow: ['a.example'] })
  expect(reading).toMatchObject({
    name: 'http_fetch',
    risk: 'read',
    idempotent: true,
    safeByDefault: false,
    labels: ['untrusted:web'],
  })
  expect(await reading.validate({ url: 'http://a.example', method: 'POST' })).toMatchObject({
    valid: false,
    issues: [{ path: 'method' }],
  })
  expect(await reading.validate({ url: 'http://a.example', body: 'x' })).toMatchObject({ valid: false })
  expect(httpFetch({ methods: ['GET', 'POST'] })).toMatchObject({ risk: 'write', idempotent: false })
  expect(() => httpFetch({ methods: ['CONNECT'] })).toThrow(/`methods` holds CONNECT/)
})

test('a request that writes is sent once, with its idempotency key, even when the server fails', async () => {
  const server = await serve({
    '/': echo,
    '/down': (_request, response) => response.writeHead(503).end(),
    '/reset': (_request, response) => response.destroy(),
  })
  const options = { allow: [server.host], methods: ['GET', 'POST'] }
  const { body } = await get(server.url, options, { method: 'POST', body: { a: 1 } })
  expect(JSON.parse(body)).toMatchObject({
    method: 'POST',
    body: '{"a":1}',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'run_1/tool:1' },
  })
  expect((await get(`${server.url}/down`, options, { method: 'POST' })).status).toBe(503)
  await expect(get(`${server.url}/reset`, options, { method: 'POST' })).rejects.toMatchObject({
    code: 'CONNECTOR_FAILED',
  })
  expect(server.seen).toEqual(['POST /', 'POST /down', 'POST /reset'])
  await expect(get(server.url, options, { body: 'x' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})

test('a POST that is redirected with 303 becomes a GET without a body', async () => {
  const server = await serve({
    '/': (_request, response) => response.writeHead(303, { location: '/done' }).end(),
    '/done': echo,
  })
  const { body } = await get(
    server.url,
    { allow: [server.host], methods: ['POST'] },
    { method: 'POST', body: { a: 1 } },
  )
  expect(JSON.parse(body)).toMatchObject({ method: 'GET', body: '' })
})
