import { expect, test } from 'vitest'
import { scripted } from '../../model/index.ts'
import { VERSION, sha256 } from '../../core/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { RateLimit } from './rate-limits.ts'
import { manualClock } from '../../core/index.ts'
import { pathRefusal } from './request-path.ts'
import { TOKENS, bench } from './server.fixture.ts'
import { newToken } from './tokens.ts'

test.each([
  ['a number that is too large', '{"agent":"greeter","prompt":"a","context":1e999}'],
  ['half a character', '{"agent":"greeter","prompt":"\\ud800"}'],
  ['a name of every object', '{"agent":"greeter","prompt":"a","context":{"__proto__":{"a":1}}}'],
  ['a name twice', '{"agent":"greeter","prompt":"a","prompt":"b"}'],
  ['a member that is not known', '{"agent":"greeter","prompt":"a","identity":{"id":"x","roles":["owner"]}}'],
  ['another type', '{"agent":7}'],
  ['no JSON', '{agent:1}'],
  ['nothing', ''],
])('a body with %s is refused', async (_what, body) => {
  const { call } = bench()
  const answer = await call('/api/runs', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: expect.any(String) } }])
})

test('an object with very many names is refused before it is read, and of a large body only the first problems are told', async () => {
  const { call } = bench()
  const told = async (body: string): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const { error } = (await (await call('/api/runs', { method: 'POST', body, headers })).json()) as never
    return (error as { readonly message: string }).message
  }
  const names = (count: number): string => Array.from({ length: count }, (_, at) => `"n${at}":1`).join(',')
  expect(await told(`{"agent":"greeter","context":{${names(50_001)}}}`)).toMatch(/more than 50000 names/)
  // Not even JSON: it was refused without being parsed.
  expect(await told(`{"agent":"greeter","context":{${names(50_001)}`)).toMatch(/more than 50000 names/)
  expect(await told(`{"agent":"greeter","context":{"a\\":":"${':'.repeat(60_000)}"},"more":1}`)).toMatch(
    /`?more`?.*not known/,
  )
  expect(await told(`{"agent":"greeter","prompt":"a",${names(2_000)}}`)).toMatch(/n9: is not known/)
  const texts = async (count: number): Promise<number> =>
    (await told(`{"agent":"greeter","prompt":"a","labels":[${'1,'.repeat(count)}1]}`)).match(/labels\[/g)!.length
  expect([await texts(20), await texts(2_000)]).toEqual([10, 1])
})

test.each([
  ['text/plain', 403],
  ['application/x-www-form-urlencoded', 403],
  ['', 403],
  ['application/xml', 415],
  ['application/json; charset=utf-16', 415],
  ['application/json;charset=UTF-8', 202],
])('a body of the type %j is answered with %i', async (type, status) => {
  const { call } = bench()
  const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
  const body = new TextEncoder().encode('{"agent":"greeter","prompt":"Hi."}')
  expect((await call('/api/runs', { method: 'POST', body, headers })).status).toBe(status)
})

test('a Host that is not that of one host, or of another one, is refused', async () => {
  const { call } = bench()
  const status = async (host: string): Promise<number> => (await call('/api/me', { headers: { host } })).status
  for (const host of [
    'a b',
    'localhost:8080@evil.example',
    'localhost,evil.example',
    'localhost:080',
    '[::1',
    'http://localhost',
  ])
    expect([host, await status(host)]).toEqual([host, 400])
  for (const host of [
    'evil.example',
    'localhost.',
    '2130706433',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
    'localhost.evil.example',
  ])
    expect([host, await status(host)]).toEqual([host, 421])
  for (const host of ['localhost', 'LOCALHOST:8080', '[::1]:8080'])
    expect([host, await status(host)]).toEqual([host, 200])
})

test('parameters are checked by their types, and given once', async () => {
  const { call } = bench()
  const status = async (query: string): Promise<number> => (await call(`/api/runs?${query}`)).status
  expect(await status('limit=5&state=completed,failed&waiting=false')).toBe(200)
  for (const query of ['limit=x', 'limit=0', 'limit=1&limit=2', 'waiting=yes', 'other=1', '__proto__=1', 'after=x'])
    expect([query, await status(query)]).toEqual([query, 400])
})

test('paths that can be read in two ways are not served', () => {
  for (const path of ['/api//runs', '/api/../x', '/api/%2e%2e/x', '/a%2Fb', '/a%5cb', '/a;b', '/a\\b', '/api/.'])
    expect([path, pathRefusal(path)]).toEqual([path, 404])
  for (const path of ['/a%00', '/a%0a', '/%', '/%ff']) expect([path, pathRefusal(path)]).toEqual([path, 400])
  for (const path of ['/', '/api/runs', '/api/runs/run_1.a-b', '/a/%C3%A4']) expect(pathRefusal(path)).toBeUndefined()
})

test('a token may be known by its hash alone, and is compared as a whole', async () => {
  const token = newToken()
  const { call } = bench({ tokens: [{ hash: sha256(token), identity: { id: 'ana', roles: [] } }] })
  const me = async (authorization: string): Promise<number> =>
    (await call('/api/me', { headers: { authorization } })).status
  expect([await me(`Bearer ${token}`), await me(`bearer ${token}`)]).toEqual([200, 200])
  for (const wrong of [
    `Bearer ${sha256(token)}`,
    `Bearer  ${token}`,
    `Basic ${token}`,
    token,
    `Bearer ${token}x`,
    'Bearer ',
  ])
    expect([wrong, await me(wrong)]).toEqual([wrong, 401])
})

test('an identity that `authenticate` gives is checked', async () => {
  const { call } = bench({
    tokens: [],
    authenticate: (request) => (request.headers.has('x-user') ? ({ id: 'ana' } as never) : undefined),
  })
  expect((await call('/api/me', { as: null })).status).toBe(401)
  expect((await call('/api/me', { as: null, headers: { 'x-user': 'ana' } })).status).toBe(400)
})

test('an Idempotency-Key starts one run, whoever sends it and however often', async () => {
  const { call, json, service } = bench()
  const start = (key: string, prompt: string, as: 'owner' | 'operator' = 'owner'): Promise<Response> =>
    call('/api/runs?wait=30', {
      as,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ agent: 'greeter', prompt }),
    })
  const first = await start('k1', 'Hi.')
  const { id } = (await first.json()) as { id: string }
  const again = await start('k1', 'Hi.')
  expect([first.status, again.status, ((await again.json()) as { id: string }).id]).toEqual([201, 200, id])
  expect((await start('k1', 'Something else.')).status).toBe(422)
  expect((await start('k 1', 'Hi.')).status).toBe(400)
  expect(((await (await start('k1', 'Hi.', 'operator')).json()) as { id: string }).id).not.toBe(id)
  expect((await service.runs()).length).toBe(2)
  expect((await json('GET', '/api/runs', undefined, 'operator')).body.runs).toHaveLength(1)
})

test('an Idempotency-Key is remembered by the store: another process finds its run, and refuses another request', async () => {
  const journal = memoryJournal()
  const start = async (prompt: string): Promise<{ readonly status: number; readonly id: string }> => {
    const answer = await bench({}, { journal }).call('/api/runs?wait=30', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k1' },
      body: JSON.stringify({ agent: 'greeter', prompt }),
    })
    return { status: answer.status, id: ((await answer.json()) as { id: string }).id }
  }
  const first = await start('Hi.')
  expect(first.status).toBe(201)
  expect(await start('Hi.')).toEqual({ status: 200, id: first.id })
  expect((await start('Something else.')).status).toBe(422)
  expect(await journal.list()).toHaveLength(1)
})

test('an Idempotency-Key whose request was refused before its run began is free, for that request and for another one', async () => {
  const { call, service } = bench()
  const start = async (agent: string, prompt: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' }
    const body = JSON.stringify({ agent, prompt })
    return (await call('/api/runs?wait=30', { method: 'POST', headers, body })).status
  }
  expect(await start('nobody', 'Hi.')).toBe(404)
  expect(await start('greeter', 'Hi.')).toBe(201)
  // The refused request is another one by now: it must not be given this run.
  expect(await start('nobody', 'Hi.')).toBe(422)
  expect(await start('greeter', 'Hi.')).toBe(200)
  expect(await service.runs()).toHaveLength(1)
})

test('two requests at once under one Idempotency-Key come to one run, and the other request is refused', async () => {
  const { call, service } = bench()
  const start = async (prompt: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' }
    const body = JSON.stringify({ agent: 'greeter', prompt })
    return (await call('/api/runs?wait=30', { method: 'POST', headers, body })).status
  }
  const statuses = await Promise.all([start('Hi.'), start('Something else.')])
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 422])
  expect([await start('Hi.'), await start('Something else.')]).toEqual(statuses[0] === 201 ? [200, 422] : [422, 200])
  expect(await service.runs()).toHaveLength(1)
})

test('the version is told to those who are known', async () => {
  const { call, json } = bench()
  expect((await json('GET', '/api/version')).body).toEqual({ version: VERSION, entryVersion: 1 })
  expect((await call('/api/version', { as: null })).status).toBe(401)
})

test('schedules are added, changed, listed and ended, by those who may run their agents', async () => {
  const { json, service } = bench()
  const daily = { cron: '0 9 * * *', agent: 'greeter', prompt: 'Report.' }
  const put = await json('PUT', '/api/schedules/daily', daily, 'operator')
  expect([put.status, put.body]).toMatchObject([200, { id: 'daily', ...daily }])
  expect(put.body.nextAt).toBeGreaterThan(Date.now())
  expect((await json('PUT', '/api/schedules/daily', { ...daily, cron: '0 8 * * *' }, 'operator')).status).toBe(200)
  expect((await json('GET', '/api/schedules')).body.schedules).toMatchObject([{ id: 'daily', cron: '0 8 * * *' }])
  expect((await json('GET', '/api/schedules', undefined, 'other')).body.schedules).toEqual([])
  expect((await json('PUT', '/api/schedules/x', { cron: 'never', agent: 'greeter', prompt: 'Go.' })).status).toBe(400)
  expect((await json('PUT', '/api/schedules/x', { ...daily, every: 1 })).status).toBe(400)
  expect((await json('PUT', '/api/schedules/x', daily, 'viewer')).status).toBe(403)
  expect((await json('DELETE', '/api/schedules/daily', undefined, 'other')).status).toBe(403)
  expect((await json('DELETE', '/api/schedules/daily', undefined, 'operator')).status).toBe(204)
  expect(await service.schedules.list()).toEqual([])
  expect((await json('DELETE', '/api/schedules/daily', undefined, 'operator')).status).toBe(404)
})

test('pages of runs come one after the other, and none is lost or doubled', async () => {
  const { json } = bench()
  for (let at = 0; at < 5; at++) await json('POST', '/api/runs?wait=30', { agent: 'greeter', prompt: `Hi ${at}.` })
  const seen: string[] = []
  let next = ''
  do {
    const { body } = await json('GET', `/api/runs?limit=2${next === '' ? '' : `&after=${encodeURIComponent(next)}`}`)
    seen.push(...body.runs.map(({ id }: { id: string }) => id))
    next = body.next ?? ''
  } while (next !== '')
  expect([seen.length, new Set(seen).size]).toEqual([5, 5])
})

test('a run that cannot begin is refused, and one that goes on is told with 202', async () => {
  const { json } = bench({}, { agents: [{ id: 'slow', model: scripted([{ hang: true }]) }] })
  expect((await json('POST', '/api/runs', { agent: 'none', prompt: 'Hi.' })).status).toBe(404)
  expect((await json('POST', '/api/runs', { agent: 'slow' })).status).toBe(400)
  expect((await json('POST', '/api/runs?wait=0.01', { agent: 'slow', prompt: 'Hi.' })).status).toBe(202)
  expect((await json('POST', '/api/runs', { agent: 'slow', prompt: 'Hi.' }, 'viewer')).status).toBe(403)
})

test('limits refill with time, and only for whom they belong to', () => {
  const clock = manualClock()
  const limit = new RateLimit(2, clock)
  expect([limit.take('a'), limit.take('a'), limit.take('a'), limit.take('b')]).toEqual([
    undefined,
    undefined,
    30,
    undefined,
  ])
  clock.advance(30_000)
  expect([limit.take('a'), limit.take('a')]).toEqual([undefined, 30])
})

test('HEAD is answered without a body, and methods that a path does not take are named', async () => {
  const { call } = bench()
  const head = await call('/api/me', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  const wrong = await call('/api/runs', { method: 'DELETE' })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, GET'])
  expect((await call('/api/runs', { method: 'DELETE', as: null })).status).toBe(401)
  expect(TOKENS.owner.length).toBeGreaterThan(19)
})

test('a page of a listed origin may send the headers of its client, and reads refusals as it reads answers', async () => {
  const { call, server } = bench({ origins: ['https://app.example'], mcp: { agents: ['greeter'] } })
  const origin = 'https://app.example'
  const asking = { origin, 'access-control-request-headers': 'authorization,mcp-session-id,x-stainless-os, b@d' }
  const asked = await call('/v1/models', { method: 'OPTIONS', as: null, headers: asking })
  expect(asked.headers.get('access-control-allow-headers')!.split(', ').toSorted()).toEqual([
    ...['authorization', 'content-type', 'idempotency-key', 'last-event-id', 'mcp-session-id', 'x-stainless-os'],
  ])
  const readable = async (path: string, init: Parameters<typeof call>[1]): Promise<unknown[]> => {
    const { status, headers } = await call(path, { ...init, headers: { origin } })
    return [status, headers.get('access-control-allow-origin'), headers.get('access-control-expose-headers')]
  }
  const exposed = expect.stringContaining('x-mandate-run')
  expect(await readable('/api/me', {})).toEqual([200, origin, exposed])
  for (const path of ['/api/me', '/mcp', '/v1/models'])
    expect(await readable(path, { as: null })).toEqual([401, origin, exposed])
  const closing = server.close()
  expect(await readable('/api/me', {})).toEqual([503, origin, exposed])
  await closing
  const { status, headers } = await call('/api/me', { headers: { origin: 'https://other.example' } })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null])
})

test('a page of the same host is the own one, also where a proxy ends its TLS, and never the other way round', async () => {
  const { server } = bench({ hosts: ['agents.example'] })
  const status = async (scheme: string, origin: string): Promise<number> => {
    const headers = { host: 'agents.example', authorization: `Bearer ${TOKENS.owner}`, origin }
    return (await server.fetch(new Request(`${scheme}://agents.example/api/me`, { headers }))).status
  }
  expect(await status('http', 'http://agents.example')).toBe(200)
  expect(await status('http', 'https://agents.example')).toBe(200)
  expect(await status('https', 'https://agents.example')).toBe(200)
  expect(await status('https', 'http://agents.example')).toBe(403)
  for (const other of [
    'https://agents.example:8443',
    'https://x.agents.example',
    'https://agents.example.evil.example',
  ])
    expect([other, await status('http', other)]).toEqual([other, 403])
})
