import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentService, defineTool } from '../../src/agent/public.ts'
import { evaluate } from '../../src/evals/index.ts'
import { inMemoryPrompts } from '../../src/memory/index.ts'
import { scripted } from '../../src/model/index.ts'
import { httpServer } from '../../src/server/index.ts'
import type { HttpServer } from '../../src/server/index.ts'
import { askUser, jsonSchemaCheck } from '../../src/tool/index.ts'

const TOKEN = 'token-of-the-owner-0001'
const deploy = defineTool({ name: 'deploy', risk: 'destructive', run: () => 'deployed' })
const GRAPH = 'graph greet { start say node say { prompt "Say hello." next END } }'

// oxlint-disable-next-line typescript/no-explicit-any -- each call says what it expects of an answer
type Told = any

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >
}

let service: AgentService
let server: HttpServer
let operations: ReadonlyMap<string, Operation>
const seen = new Set<string>()

beforeAll(async () => {
  service = new AgentService({
    promptStore: inMemoryPrompts(),
    mandate: {
      rules: [{ id: 'ask-deploy', when: { tool: 'deploy' }, then: 'ask', reason: 'Deploying needs a person.' }],
    },
    tools: [deploy],
    agents: [
      { id: 'greeter', model: scripted(() => 'Hello.') },
      {
        id: 'asker',
        model: scripted([{ toolCalls: [{ name: 'ask_user', input: { question: 'Which colour?' } }] }, 'Thanks.']),
        tools: [askUser()],
      },
      {
        id: 'deployer',
        model: scripted([{ toolCalls: [{ name: 'deploy', input: { to: 'prod' } }] }, 'Done.']),
        tools: [deploy],
      },
    ],
  })
  server = httpServer(service, { tokens: [{ token: TOKEN, identity: { id: 'ana', roles: ['owner'] } }] })
  const document = (await send('GET', '/openapi.json')).body as { paths: Record<string, Record<string, Operation>> }
  operations = new Map(
    Object.entries(document.paths).flatMap(([path, of]) =>
      Object.entries(of).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    ),
  )
})
afterAll(async () => {
  await server.close()
  await service.stop()
})

async function send(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Told; type: string | null }> {
  const headers = { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1', 'content-type': 'application/json' }
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await server.fetch(new Request(`http://127.0.0.1${path}`, { method, headers, ...init }))
  return { status: answer.status, body: await answer.json(), type: answer.headers.get('content-type') }
}

/** Calls an operation, and holds what it really answers against what the document says. */
async function call(
  operation: string,
  { path, body, query = '' }: { path?: object; body?: unknown; query?: string } = {},
): Promise<Told> {
  const [method, template] = operation.split(' ') as [string, string]
  const target = Object.entries(path ?? {}).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    template,
  )
  const answer = await send(method, `${target}${query}`, body)
  const { responses } = operations.get(operation)!
  const described = responses[answer.status]
  expect(described, `${operation} answers ${answer.status}: ${JSON.stringify(answer.body)}`).toBeDefined()
  expect(answer.type, operation).toBe('application/json')
  const checked = jsonSchemaCheck(described!.content!['application/json']!.schema as never, operation)(answer.body)
  expect(checked.valid ? [] : checked.issues, `${operation}: ${JSON.stringify(answer.body).slice(0, 2_000)}`).toEqual(
    [],
  )
  seen.add(operation)
  return answer.body
}

test('the document is valid OpenAPI 3.1', async () => {
  const { body } = await send('GET', '/openapi.json')
  const validator = new Validator()
  const { valid, errors } = await validator.validate(body)
  expect([valid, errors]).toEqual([true, undefined])
  expect(validator.version).toBe('3.1')
  const ids = [...operations.values()].map(({ operationId }) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  await call('GET /openapi.json')
})

test('the system and the agents', async () => {
  await call('GET /healthz')
  await call('GET /api/health')
  await call('GET /api/me')
  await call('GET /api/version')
  await call('GET /api/agents')
  expect((await call('GET /api/agents/{agentId}', { path: { agentId: 'deployer' } })).tools).toEqual([
    { name: 'deploy', description: '', risk: 'destructive' },
  ])
})

test('runs', async () => {
  const { id } = await call('POST /api/runs', { query: '?wait=30', body: { agent: 'greeter', prompt: 'Hi.' } })
  const path = { path: { runId: id as string } }
  await call('GET /api/runs', { query: '?state=completed,failed&limit=1' })
  await call('GET /api/runs/{runId}', path)
  await call('GET /api/runs/{runId}/result', path)
  await call('GET /api/runs/{runId}/report', path)
  await call('GET /api/runs/{runId}/entries', path)
  await call('GET /api/runs/{runId}/messages', path)
  expect(await call('GET /api/runs/{runId}/replay', path)).toMatchObject({ identical: true, complete: true })
  expect(await call('GET /api/runs/{runId}/verify', path)).toMatchObject({ ok: true, chain: 'intact' })
  const fork = await call('POST /api/runs/{runId}/fork', { ...path, body: { edit: { input: 'Hi again.' } } })
  const again = { path: { runId: fork.id as string } }
  await call('POST /api/runs/{runId}/steer', { ...again, body: { message: 'Be brief.' } })
  expect(await call('POST /api/runs/{runId}/resume', { ...again, query: '?wait=30', body: {} })).toMatchObject({
    status: 'completed',
  })
  await call('POST /api/runs/{runId}/cancel', { ...again, body: { reason: 'over' } })
  await call('POST /api/runs', { body: { agent: 'greeter', prompt: 'Hi.' } })
})

test('schedules', async () => {
  const path = { path: { scheduleId: 'daily' } }
  const body = { everyMs: 86_400_000, agent: 'greeter', prompt: 'Report.', budget: { steps: 9 }, overlap: 'skip' }
  await call('PUT /api/schedules/{scheduleId}', { ...path, body })
  const { schedules } = await call('GET /api/schedules')
  expect(schedules).toEqual([await call('GET /api/schedules/{scheduleId}', path)])
})

const waitingRun = async (): Promise<{ run: string; approvalId: string; hash: string }> => {
  const { id, pending } = await call('POST /api/runs', {
    query: '?wait=30',
    body: { agent: 'deployer', prompt: 'Deploy.' },
  })
  const [{ approvalId, hash }] = pending
  return { run: id, approvalId, hash }
}

test('approvals', async () => {
  const { approvalId, hash, run } = await waitingRun()
  const path = { path: { approvalId } }
  expect((await call('GET /api/approvals')).requests).toHaveLength(1)
  expect((await call('GET /api/approvals/{approvalId}', path)).hash).toBe(hash)
  await call('POST /api/approvals/{approvalId}/approve', {
    ...path,
    body: { hash, scope: 'rule', reason: 'It is fine.' },
  })
  await expect.poll(async () => (await call('GET /api/runs/{runId}', { path: { runId: run } })).state).toBe('completed')
  expect((await call('GET /api/standing-approvals')).approvals).toHaveLength(1)
  await call('POST /api/standing-approvals/{approvalId}/revoke', { ...path, body: {} })
  const next = await waitingRun()
  await call('POST /api/approvals/{approvalId}/reject', {
    path: { approvalId: next.approvalId },
    body: { reason: 'No.' },
  })
  const [first, second] = [await waitingRun(), await waitingRun()]
  const { results } = await call('POST /api/approvals', {
    body: {
      answers: [
        { id: first.approvalId, answer: 'approve', hash: 'of another call' },
        { id: second.approvalId, answer: 'approve', hash: second.hash, reason: 'Fine.' },
        { id: first.approvalId, answer: 'reject' },
      ],
      resume: true,
    },
  })
  expect(results.map(({ status }: { status: string }) => status)).toEqual(['refused', 'recorded', 'recorded'])
  for (const { run: runId } of [first, second])
    await expect.poll(async () => (await call('GET /api/runs/{runId}', { path: { runId } })).state).toBe('completed')
  const asked = await call('POST /api/runs', { query: '?wait=30', body: { agent: 'asker', prompt: 'Ask.' } })
  const question = { path: { approvalId: asked.pending[0].approvalId as string } }
  // Only a call that a crash left in doubt can be settled: nothing of that kind waits here.
  expect((await send('POST', `/api/approvals/${question.path.approvalId}/settle`, { outcome: 'unknown' })).status).toBe(
    400,
  )
  seen.add('POST /api/approvals/{approvalId}/settle')
  await call('POST /api/approvals/{approvalId}/answer', { ...question, body: { value: 'blue' } })
})

test('prompts and policy', async () => {
  const path = { path: { promptId: 'hello' } }
  await call('PUT /api/prompts/{promptId}', { ...path, body: { text: 'Hello {{name}}', requiredVars: ['name'] } })
  await call('GET /api/prompts/{promptId}', { ...path, query: '?version=1' })
  expect((await call('GET /api/prompts')).prompts).toHaveLength(1)
  const label = { path: { promptId: 'hello', label: 'production' }, body: { version: '1' } }
  await call('PUT /api/prompts/{promptId}/labels/{label}', label)
  expect((await call('GET /api/prompts/{promptId}/versions', path)).labels).toEqual({ production: '1' })
  const { mandate, hash } = await call('GET /api/policy')
  const tested = { tool: 'deploy', input: { to: 'prod' }, agent: 'deployer' }
  expect((await call('POST /api/policy/test', { body: tested })).decision.verdict).toBe('ask')
  const strict = { deny: ['deploy'] }
  expect((await call('POST /api/policy/test', { body: { ...tested, mandate: strict } })).decision.verdict).toBe('deny')
  await call('PUT /api/policy', { body: { mandate, before: hash } })
  expect((await send('PUT', '/api/policy', { mandate: {}, before: 'other' })).status).toBe(409)
  await call('GET /api/audit')
})

test('graphs and their reviews', async () => {
  const check = await call('POST /api/graphs/check', { body: { source: GRAPH } })
  expect([check.ok, check.graphs[0].name]).toEqual([true, 'greet'])
  expect((await call('POST /api/graphs/check', { body: { source: 'graph {' } })).ok).toBe(false)
  const { id, approvalId, hash } = await call('POST /api/graph-reviews', {
    body: { source: GRAPH, reason: 'For greeting.' },
  })
  const path = { path: { reviewId: id as string } }
  expect((await call('GET /api/graph-reviews')).reviews).toHaveLength(1)
  const request = await call('GET /api/approvals/{approvalId}', { path: { approvalId } })
  await call('POST /api/approvals/{approvalId}/approve', { path: { approvalId }, body: { hash: request.hash } })
  const { token } = await call('GET /api/graph-reviews/{reviewId}', path)
  expect(await call('POST /api/graph-reviews/{reviewId}/register', { ...path, body: { token } })).toMatchObject({
    state: 'registered',
    hash,
  })
  expect((await call('GET /api/graphs')).graphs).toEqual(['greet'])
  expect((await call('GET /api/graphs/{graphName}', { path: { graphName: 'greet' } })).hash).toBe(hash)
  const run = await call('POST /api/graphs/{graphName}/runs', {
    path: { graphName: 'greet' },
    query: '?wait=30',
    body: {},
  })
  expect(['completed', 'failed']).toContain(run.status)
  await call('POST /api/graph-reviews/{reviewId}/revoke', { ...path, body: {} })
})

test('sessions of cells', async () => {
  const { id } = await call('POST /api/cell-sessions', { body: { policy: { maxIterations: 8 } } })
  const path = { path: { sessionId: id as string } }
  expect(
    await call('POST /api/cell-sessions/{sessionId}/cells', { ...path, body: { source: 'let a = 40; a' } }),
  ).toMatchObject({ value: 40 })
  await call('PUT /api/cell-sessions/{sessionId}/variables/{name}', {
    path: { ...path.path, name: 'b' },
    body: { value: 2 },
  })
  const sum = await call('POST /api/cell-sessions/{sessionId}/cells', { ...path, body: { source: 'a += b' } })
  expect(sum).toMatchObject({ value: 42, status: 'completed' })
  expect(
    await call('GET /api/cell-sessions/{sessionId}/variables/{name}', { path: { ...path.path, name: 'a' } }),
  ).toEqual({ name: 'a', value: 42 })
  const fork = await call('POST /api/cell-sessions/{sessionId}/fork', { ...path, body: {} })
  await call('POST /api/cell-sessions/{sessionId}/undo', { ...path, body: {} })
  const value = async (sessionId: string): Promise<number> =>
    (await call('GET /api/cell-sessions/{sessionId}/variables/{name}', { path: { sessionId, name: 'a' } })).value
  expect([await value(id), await value(fork.id)]).toEqual([40, 42])
  await call('GET /api/cell-sessions/{sessionId}', path)
  const { sessions } = await call('GET /api/cell-sessions', { query: '?limit=1' })
  expect(sessions).toHaveLength(1)
  const waiting = await call('POST /api/cell-sessions/{sessionId}/cells', {
    ...path,
    body: { source: 'await tools.deploy({ to: "prod" })' },
  })
  expect(waiting.status).toBe('waiting')
  const [{ approvalId }] = waiting.pending
  const { hash } = await call('GET /api/approvals/{approvalId}', { path: { approvalId } })
  await call('POST /api/approvals/{approvalId}/approve', { path: { approvalId }, body: { hash } })
  expect(await call('POST /api/cell-sessions/{sessionId}/resume', { ...path, body: {} })).toMatchObject({
    status: 'completed',
    value: 'deployed',
  })
  await call('POST /api/cell-sessions/{sessionId}/cancel', { ...path, body: {} })
  expect(await call('DELETE /api/cell-sessions/{sessionId}', path)).toEqual({ id })
})

test('reports of evals', async () => {
  const tasks = [{ id: 'hello', input: 'Hello.', checks: ["status == 'completed'"] }]
  const { id } = await evaluate(
    { name: 'greetings', agent: { id: 'tested', model: scripted(['Hello.']) }, tasks },
    { service },
  )
  expect((await call('GET /api/evals')).evals).toMatchObject([{ id, ok: true }])
  expect(await call('GET /api/evals/{evalId}', { path: { evalId: id } })).toMatchObject({
    id,
    tasks: [{ task: 'hello' }],
  })
})

test('every operation of the document was called', () => {
  // Streams and the protocols of other clients are tested with their clients.
  const isJson = ({ responses, tags }: Operation): boolean =>
    tags[0] !== 'chat' && Object.values(responses)[0]!.content?.['application/json'] !== undefined
  const plain = [...operations]
    .filter(([name, operation]) => !name.includes(' /v1/') && isJson(operation))
    .map(([name]) => name)
  expect(plain.length).toBeGreaterThan(45)
  expect(plain.filter((operation) => !seen.has(operation))).toEqual([])
})
