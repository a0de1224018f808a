import { expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted } from '../../model/index.ts'
import { httpServer } from './http-server.ts'
import type { Route } from './route.ts'
import { HOST, TOKENS, bench } from './server.fixture.ts'

const endless: Route = {
  method: 'GET',
  path: '/api/endless',
  summary: 'Never ends.',
  tag: 'test',
  access: 'identity',
  answer: { status: 200, stream: true },
  handle: async () => new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }),
}
const owner = { id: 'ana', roles: ['owner'] }

test('a run is started, waited for and found again', async () => {
  const { json } = bench()
  const started = await json('POST', '/api/runs?wait=30', { agent: 'greeter', prompt: 'Say hello.' })
  expect([started.status, started.body.status, started.body.text]).toEqual([201, 'completed', 'Hello.'])
  const { body } = await json('GET', '/api/runs')
  expect(body.runs.map(({ id }: { id: string }) => id)).toEqual([started.body.id])
  const accepted = await json('POST', '/api/runs', { agent: 'greeter', prompt: 'Say hello.' })
  expect(accepted.status).toBe(202)
  expect(accepted.headers.get('location')).toBe(`/api/runs/${accepted.body.id}`)
})

test('a run in a session goes on from what was said in it, and a repeated request is the same run', async () => {
  const { call, json } = bench()
  const ask = async (prompt: string, sessionId?: string, key?: string): Promise<{ id: string; sessionId: string }> => {
    const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) }
    const body = JSON.stringify({ agent: 'greeter', prompt, sessionId })
    const answer = await call('/api/runs?wait=30', { method: 'POST', headers, body })
    return (await answer.json()) as { id: string; sessionId: string }
  }
  const first = await ask('One.')
  const second = await ask('Two.', first.sessionId, 'key-1')
  await ask('Three.', first.sessionId)
  expect((await ask('Two.', first.sessionId, 'key-1')).id).toBe(second.id)
  const { body } = await json('GET', `/api/runs/${second.id}/messages`)
  expect(JSON.stringify(body)).toMatch(/One\..*Two\./)
  expect(JSON.stringify(body)).not.toContain('Three.')
})

test('no server is open to everyone', () => {
  const service = new AgentService()
  expect(() => httpServer(service, {})).toThrow(/tokens/)
  expect(() => httpServer(service, { tokens: [] })).toThrow(/tokens/)
  expect(() => httpServer(service, { tokens: [{ token: 'short', identity: owner }] })).toThrow(/at least 20/)
  expect(() => httpServer(service, { tokens: [{ identity: owner }] })).toThrow(/either/)
})

test('errors have one shape, and what is no error of ours keeps its words', async () => {
  const faults: unknown[] = []
  const broken: Route = {
    method: 'GET',
    path: '/api/broken',
    summary: 'Fails.',
    tag: 'test',
    access: 'identity',
    answer: { status: 200 },
    handle: () => Promise.reject(new Error('password=hunter2')),
  }
  const { json } = bench({ parts: [{ routes: [broken] }], onFault: (error) => faults.push(error) })
  expect((await json('GET', '/api/runs/none')).body).toMatchObject({ error: { code: 'NOT_FOUND' } })
  const { status, body } = await json('GET', '/api/broken')
  expect([status, body]).toEqual([500, { error: { code: 'INTERNAL', message: 'The server failed at this request.' } }])
  expect(String(faults)).toContain('hunter2')
})

test('a token that was revoked is refused at once, and its streams end', async () => {
  const { call, server } = bench({ parts: [{ routes: [endless] }] })
  const stream = await call('/api/endless', { as: 'viewer' })
  expect(server.revoke(TOKENS.viewer)).toBe(true)
  expect(await stream.text()).toBe('')
  expect((await call('/api/runs', { as: 'viewer' })).status).toBe(401)
  expect((await call('/api/runs')).status).toBe(200)
})

test('closing ends streams with a hint, suspends runs and refuses what comes after', async () => {
  const slow = { id: 'slow', model: scripted([{ hang: true }]) }
  const { call, json, server, service } = bench({ parts: [{ routes: [endless] }] }, { agents: [slow] })
  const stream = await call('/api/endless')
  const { body: run } = await json('POST', '/api/runs', { agent: 'slow', prompt: 'Go.' })
  expect(await server.close()).toEqual({ suspended: [run.id], left: [] })
  expect(await stream.text()).toMatch(/^retry: \d+\n\n$/)
  expect((await service.summary(run.id)).state).toBe('suspended')
  expect((await call('/api/runs')).status).toBe(503)
})

test('requests are counted per caller, and strangers per address', async () => {
  const { call, server } = bench({ limits: { requestsPerMinute: 3, strangersPerMinute: 2 } })
  const statuses = await Promise.all(Array.from({ length: 4 }, async () => (await call('/api/me')).status))
  expect(statuses).toEqual([200, 200, 200, 429])
  expect((await call('/api/me', { as: 'viewer' })).status).toBe(200)
  const wrong = async (address: string): Promise<number> =>
    (await server.fetch(new Request(`${HOST}/api/me`, { headers: { authorization: 'Bearer wrong' } }), { address }))
      .status
  expect([await wrong('1.1.1.1'), await wrong('1.1.1.1'), await wrong('1.1.1.1')]).toEqual([401, 401, 429])
  expect(await wrong('2.2.2.2')).toBe(401)
})

test('it listens on loopback, and what it needs for `fetch` alone imports nothing of Node', async () => {
  const { server } = bench()
  const { url } = await server.listen()
  expect(new URL(url).hostname).toBe('127.0.0.1')
  const answer = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${TOKENS.owner}` } })
  expect(await answer.json()).toEqual({ id: 'owner', roles: ['owner'] })
  expect((await fetch(`${url}/api/me`)).status).toBe(401)
})

test('a server that is read-only refuses every route that changes something, answers what reads, and starts nothing', async () => {
  const { json, service } = bench({ readOnly: true })
  const document = await json('GET', '/openapi.json')
  const paths = Object.entries(document.body.paths as Record<string, Record<string, unknown>>)
  const tried: string[] = []
  for (const [path, methods] of paths)
    for (const method of Object.keys(methods).filter((name) => name !== 'get')) {
      const answer = await json(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x'), {})
      tried.push(`${method} ${path} ${answer.status}`)
    }
  expect(tried.length).toBeGreaterThan(20)
  expect(tried.filter((line) => !line.endsWith(' 403'))).toEqual(['post /api/policy/test 400'])
  expect((await json('GET', '/api/agents')).status).toBe(200)
  expect(await service.runs()).toEqual([])
})

test('a run takes a choice of tools, as in a program', async () => {
  const { json } = bench()
  const body = { agent: 'greeter', prompt: 'Hi.', toolChoice: 'none' }
  expect((await json('POST', '/api/runs?wait=30', body)).status).toBe(201)
  const odd = await json('POST', '/api/runs?wait=30', { ...body, toolChoice: 'nothing' })
  expect([odd.status, odd.body.error.code]).toEqual([400, 'INPUT_INVALID'])
})

test('sessions of cells are listed for whoever opened them, and for nobody else', async () => {
  const { json } = bench()
  const opened = await Promise.all(
    [1, 2].map(async () => (await json('POST', '/api/cell-sessions', {}, 'operator')).body.id as string),
  )
  const [used, unused] = opened as [string, string]
  await json('POST', `/api/cell-sessions/${used}/cells`, { source: '1 + 1' }, 'operator')
  const { sessions } = (await json('GET', '/api/cell-sessions', undefined, 'operator')).body
  expect(sessions).toEqual([
    { id: used, waiting: false, updatedAt: expect.any(Number) },
    { id: unused, waiting: false },
  ])
  expect((await json('GET', '/api/cell-sessions?limit=1', undefined, 'operator')).body.sessions).toHaveLength(1)
  for (const other of ['other', 'owner'] as const)
    expect((await json('GET', '/api/cell-sessions', undefined, other)).body).toEqual({ sessions: [] })
})

test('sessions of cells come page by page, those without a cell last, and none is lost or doubled', async () => {
  const { json } = bench()
  const open = async (): Promise<string> => (await json('POST', '/api/cell-sessions', {})).body.id as string
  const [first, second, third, ...unused] = [await open(), await open(), await open(), await open(), await open()]
  for (const id of [first, second, third, first]) {
    await json('POST', `/api/cell-sessions/${id}/cells`, { source: '1' })
    // Cells of one millisecond have no order.
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  const pages: string[][] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const query: string = after === '' ? '?limit=2' : `?limit=2&after=${encodeURIComponent(after)}`
    const { sessions, next } = (await json('GET', `/api/cell-sessions${query}`)).body
    pages.push(sessions.map(({ id }: { id: string }) => id))
    after = next
  }
  expect(pages).toEqual([[first, third], [second, unused.toSorted()[0]], [unused.toSorted()[1]]])
})

/** Cells of such a session end by their time alone. */
const ENDLESS = { policy: { maxOperations: 0 } }

test('a session of cells that was closed is not there any more, here and in another process, and its journals are', async () => {
  const { json, service } = bench()
  const [used, unused, other] = await Promise.all(
    [1, 2, 3].map(async () => (await json('POST', '/api/cell-sessions', ENDLESS, 'operator')).body.id as string),
  )
  for (const id of [used, other]) await json('POST', `/api/cell-sessions/${id}/cells`, { source: '1 + 1' }, 'operator')
  const asking = json('POST', `/api/cell-sessions/${used}/cells`, { source: 'while (true) {}' }, 'operator')
  const states = async (): Promise<unknown> =>
    (await json('GET', `/api/runs?sessionId=${used}`, undefined, 'operator')).body.runs.map(
      ({ state }: { state: string }) => state,
    )
  await expect.poll(states).toContain('running')
  expect((await json('DELETE', `/api/cell-sessions/${used}`, undefined, 'owner')).status).toBe(404)
  for (const id of [used, unused]) {
    expect(await json('DELETE', `/api/cell-sessions/${id}`, undefined, 'operator')).toMatchObject({ body: { id } })
    expect((await json('GET', `/api/cell-sessions/${id}`, undefined, 'operator')).status).toBe(404)
  }
  expect((await asking).body).toMatchObject({ status: 'cancelled' })
  const again = httpServer(service, {
    tokens: [{ token: TOKENS.operator, identity: { id: 'operator', roles: ['operator'] } }],
  })
  const get = async (path: string): Promise<Response> =>
    again.fetch(
      new Request(`${HOST}/api/cell-sessions${path}`, { headers: { authorization: `Bearer ${TOKENS.operator}` } }),
    )
  expect((await get(`/${used}`)).status).toBe(404)
  expect(await (await get('')).json()).toMatchObject({ sessions: [{ id: other }] })
  expect((await json('GET', `/api/runs?sessionId=${used}`, undefined, 'operator')).body.runs).not.toEqual([])
})

test('two requests at once for a session that is not in memory are about one', async () => {
  const { json, service } = bench()
  const { id } = (await json('POST', '/api/cell-sessions', {})).body
  await json('POST', `/api/cell-sessions/${id}/cells`, { source: 'let n = 1' })
  const token = { token: TOKENS.owner, identity: { id: 'owner', roles: ['owner'] } }
  const again = httpServer(service, { tokens: [token] })
  const headers = { authorization: `Bearer ${TOKENS.owner}`, 'content-type': 'application/json' }
  const cell = (): Promise<Response> =>
    again.fetch(
      new Request(`${HOST}/api/cell-sessions/${id}/cells`, { method: 'POST', headers, body: '{"source":"n += 1"}' }),
    )
  const statuses = (await Promise.all([cell(), cell()])).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 409]))
})

test('a key that would not be kept is refused', async () => {
  const { call, service } = bench()
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' }
  const messages = [{ id: 'u1', role: 'user', content: 'Hi.', parts: [{ type: 'text', text: 'Hi.' }] }]
  for (const path of ['/v1/chat/completions', '/v1/responses', '/api/chat/greeter']) {
    const body = JSON.stringify({ model: 'greeter', messages, input: 'Hi.' })
    const answer = await call(path, { method: 'POST', headers, body })
    expect([path, answer.status, await answer.text()]).toEqual([path, 400, expect.stringContaining('Idempotency-Key')])
  }
  expect(await service.runs()).toEqual([])
})
