import { expect, onTestFinished, test } from 'vitest'
import { AgentService } from '../../../agent/index.ts'
import type { AgentConfig } from '../../../agent/index.ts'
import { Conversations } from '../../../chat/index.ts'
import { scripted, textOf } from '../../../model/index.ts'
import { defineTool, jsonSchemaCheck } from '../../../tool/index.ts'
import { httpServer } from '../http-server.ts'
import type { HttpServer, HttpServerOptions } from '../options.ts'
import { conversationPart } from './conversations.ts'

const TOKENS = { ana: 'token-of-ana-0123456789', bob: 'token-of-bob-0123456789' } as const
const wipe = defineTool({ name: 'wipe', risk: 'destructive', run: () => 'wiped' })
const echo: AgentConfig = {
  id: 'echo',
  tools: [wipe],
  model: scripted(({ messages }) => {
    const last = messages.at(-1)!
    if (last.role === 'tool') return 'It is done.'
    if (textOf(last) === 'wipe') return { text: 'I wipe.', toolCalls: [{ name: 'wipe', input: {} }] }
    if (textOf(last) === 'hang') return { text: 'The beginning.', hang: true }
    if (textOf(last) === 'fail') return { error: 'down' }
    return messages.flatMap((one) => (one.role === 'user' ? [textOf(one)] : [])).join(' ')
  }),
}

interface Told {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests say what they expect of it
  readonly body: any
}

interface Talk {
  readonly service: AgentService
  readonly server: HttpServer
  send(
    method: string,
    path: string,
    body?: unknown,
    as?: keyof typeof TOKENS,
    headers?: Record<string, string>,
  ): Promise<Response>
  json(...call: Parameters<Talk['send']>): Promise<Told>
}

function talk(limits: HttpServerOptions['limits'] = {}): Talk {
  const service = new AgentService({ agents: [echo], mandate: { roles: { operator: ['run-agent'] } } })
  const server = httpServer(service, {
    tokens: Object.entries(TOKENS).map(([id, token]) => ({ token, identity: { id, roles: ['operator'] } })),
    parts: [conversationPart(service, new Conversations(service))],
    limits,
  })
  onTestFinished(async () => {
    await server.close()
    await service.stop()
  })
  const send: Talk['send'] = (method, path, body, as = 'ana', headers = {}) =>
    server.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${TOKENS[as]}`,
          host: '127.0.0.1',
          'content-type': 'application/json',
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  return {
    service,
    server,
    send,
    async json(...call) {
      const answer = await send(...call)
      return { status: answer.status, body: await answer.json() }
    },
  }
}

/** Begins a conversation; its path. */
async function begun({ json }: Talk, id = 'c1'): Promise<string> {
  const { status, body } = await json('POST', '/api/conversations', { id, agentId: 'echo', metadata: { topic: 'x' } })
  expect([status, body.status, body.owner]).toEqual([201, 'idle', 'ana'])
  return `/api/conversations/${id}`
}

test('a message that is refused leaves nothing behind and is answered once it is put right', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  await json('POST', '/api/conversations', { id: 'nobody' })
  const message = { id: 'm1', content: 'one' }
  expect((await json('POST', '/api/conversations/nobody/messages', { message })).body.error.code).toBe('CONFIG_INVALID')
  expect((await json('GET', '/api/conversations/nobody')).body).toMatchObject({ status: 'idle', messages: [] })
  await json('PATCH', '/api/conversations/nobody', { agentId: 'echo' })
  expect((await json('POST', '/api/conversations/nobody/messages?wait=30', { message })).status).toBe(201)
  for (const wrong of [{ toolChoice: 'wipes' }, { budget: { money: -1 } }, { agentId: 'ecko' }])
    expect((await json('POST', `${path}/messages?wait=30`, { message, ...wrong })).body.error.message).toMatch(
      /`toolChoice`|`budget.money`|"ecko"/,
    )
  expect((await json('GET', path)).body).toMatchObject({ status: 'idle', messages: [] })
  const right = await json('POST', `${path}/messages?wait=30`, { message })
  expect([right.status, right.body.message.content[0].text]).toEqual([201, 'one'])
  expect((await json('GET', path)).body.messages.map(({ role }: { role: string }) => role)).toEqual([
    'user',
    'assistant',
  ])
})

test('a conversation is begun, spoken in, looked at, listed, copied and deleted', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  const first = await json('POST', `${path}/messages?wait=30`, { message: 'one' })
  expect([first.status, first.body.status, first.body.message.content]).toEqual([
    201,
    'completed',
    [{ type: 'text', text: 'one' }],
  ])
  await json('POST', `${path}/append`, { message: { role: 'user', content: 'two' } })
  expect((await json('POST', `${path}/messages?wait=30`, { message: 'three' })).body.message.content[0].text).toBe(
    'one two three',
  )
  expect((await json('GET', path)).body.messages).toHaveLength(5)
  const fork = await json('POST', `${path}/fork`, { id: 'c2', turns: -1 })
  expect([fork.status, fork.body.messages.length, fork.body.metadata]).toEqual([
    201,
    2,
    { topic: 'x', forkedFrom: 'c1' },
  ])
  const listed = await json('GET', '/api/conversations?limit=10')
  expect(listed.body.conversations.map(({ id }: { id: string }) => id).toSorted()).toEqual(['c1', 'c2'])
  expect((await json('DELETE', path)).body).toEqual({ id: 'c1' })
  expect((await json('GET', path)).status).toBe(404)
})

test('a conversation gets another agent and other metadata, and keeps what is not named', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  const { agentId } = (await json('GET', path)).body
  expect((await json('PATCH', path, { metadata: { title: 'Orders' } })).body).toMatchObject({
    agentId,
    metadata: { title: 'Orders' },
  })
  expect((await json('PATCH', path, { agentId })).body.metadata).toEqual({ title: 'Orders' })
  expect((await json('PATCH', path, { agentId: 'nobody' })).status).toBe(404)
  expect((await json('PATCH', path, { metadata: 'Orders' })).status).toBe(400)
  expect((await json('GET', path)).body).toMatchObject({ agentId, metadata: { title: 'Orders' } })
})

test('an answer is streamed, and one that is not waited for is found afterwards', async () => {
  const scene = talk()
  const { json, send } = scene
  const path = await begun(scene)
  const answer = await send('POST', `${path}/stream`, { message: 'hello there' })
  expect(answer.headers.get('content-type')).toContain('text/event-stream')
  const events = (await answer.text())
    .trim()
    .split('\n\n')
    .map((event) => ({
      name: /event: (\w+)/.exec(event)?.[1],
      data: JSON.parse(/data: (.*)/.exec(event)![1]!) as { text?: string; status?: string; streamId?: string },
    }))
  expect(events[0]).toMatchObject({ name: 'start', data: { conversationId: 'c1' } })
  expect(events.flatMap(({ data }) => data.text ?? []).join('')).toBe('hello there')
  expect(events.at(-1)).toMatchObject({ name: 'end', data: { status: 'completed' } })
  const { status, body } = await json('POST', `${path}/messages`, { message: 'later' })
  expect(status).toBe(202)
  expect((await json('POST', `${path}/messages?wait=30`, { message: 'now' })).body.status).toBe('completed')
  expect((await json('GET', `/api/runs/${body.streamId}`)).body).toMatchObject({ state: 'completed', sessionId: 'c1' })
})

test('a turn that waits for a person goes on after the answer, and one under way is cancelled with its text kept', async () => {
  const scene = talk()
  const { json, service, send } = scene
  const path = await begun(scene)
  const waiting = await json('POST', `${path}/messages?wait=30`, { message: 'wipe' })
  expect(waiting.body).toMatchObject({ status: 'suspended', pending: [{ name: 'wipe' }] })
  expect((await json('POST', `${path}/messages?wait=30`, { message: 'hello' })).status).toBe(409)
  await service.approve(waiting.body.pending[0].approvalId as string)
  const gone = await json('POST', `${path}/continue?wait=30`, {})
  expect(gone.body).toMatchObject({ status: 'completed' })
  const hanging = await send('POST', `${path}/stream`, { message: 'hang' })
  const reader = hanging.body!.getReader()
  let text = ''
  while (!text.includes('beginning.')) {
    const { value, done } = await reader.read()
    expect(done, text).toBe(false)
    text += new TextDecoder().decode(value)
  }
  expect((await json('POST', `${path}/cancel`, { reason: 'enough' })).status).toBe(200)
  const { messages, status } = (await json('GET', path)).body
  expect([status, messages.at(-1)]).toMatchObject([
    'idle',
    { content: [{ text: 'The beginning.' }], metadata: { cancelled: true } },
  ])
  await reader.cancel()
})

test('a message is accepted only when its turn has begun, and refused while another one is open', async () => {
  const scene = talk()
  const { json, service, server } = scene
  const path = await begun(scene)
  const first = await json('POST', `${path}/messages`, { message: 'hang' })
  expect(first.status).toBe(202)
  expect((await json('GET', `/api/runs/${first.body.streamId}`)).status).toBe(200)
  const refused = await json('POST', `${path}/messages`, { message: 'lost?' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'RUN_STATE'])
  expect(refused.body.error.message).toContain(first.body.streamId)
  const late = await json('POST', `${path}/messages?wait=0.05`, { message: 'lost?' })
  expect([late.status, late.body.error.code]).toEqual([409, 'RUN_STATE'])
  const queued = json('POST', `${path}/messages?wait=30`, { message: 'wipe' })
  await json('POST', `${path}/cancel`, {})
  expect((await queued).body).toMatchObject({ status: 'suspended' })
  const unsent = await json('POST', `${path}/messages`, { message: 'lost?' })
  expect([unsent.status, unsent.body.error.message]).toMatchObject([409, expect.stringContaining('waits for a person')])
  expect(JSON.stringify(await json('GET', path))).not.toContain('lost?')
  expect(await service.runs({ sessionId: 'c1' })).toHaveLength(2)
  expect((await server.close()).suspended).toEqual([])
})

test('a message that waits when the server closes is refused, and no run is named that never began', async () => {
  const scene = talk()
  const { json, send, server, service } = scene
  const path = await begun(scene)
  const { streamId } = (await json('POST', `${path}/messages`, { message: 'hang' })).body
  const queued = json('POST', `${path}/messages?wait=30`, { message: 'second' })
  const streamed = await send('POST', `${path}/stream`, { message: 'third' })
  expect((await server.close()).suspended).toEqual([streamId])
  expect(await queued).toMatchObject({ status: 503, body: { error: { code: 'CLOSED' } } })
  expect(await streamed.text()).not.toContain('event: start')
  expect(await service.runs({ sessionId: 'c1' })).toHaveLength(1)
})

test('a message that is sent again under its Idempotency-Key is answered once', async () => {
  const scene = talk()
  const { json, send, service } = scene
  const path = await begun(scene)
  const key = { 'idempotency-key': 'k1' }
  const first = await json('POST', `${path}/messages?wait=30`, { message: 'one' }, 'ana', key)
  expect(await json('POST', `${path}/messages?wait=30`, { message: 'one' }, 'ana', key)).toEqual(first)
  expect(await json('POST', `${path}/messages`, { message: 'one' }, 'ana', key)).toMatchObject({
    status: 202,
    body: { streamId: first.body.streamId },
  })
  const streamed = await send('POST', `${path}/stream`, { message: 'one' }, 'ana', key)
  expect(await streamed.text()).toContain(`"text":"one"`)
  expect((await json('POST', `${path}/messages?wait=30`, { message: 'two' }, 'ana', key)).status).toBe(422)
  const odd = await json('POST', `${path}/messages`, { message: 'one' }, 'ana', { 'idempotency-key': 'a b' })
  expect(odd.status).toBe(400)
  expect((await json('GET', path)).body.messages).toHaveLength(2)
  expect(await service.runs({ sessionId: 'c1' })).toHaveLength(1)
})

test('a conversation has one message of an id', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  const message = { id: 'm1', content: 'one' }
  expect((await json('POST', `${path}/messages?wait=30`, { message })).status).toBe(201)
  for (const end of ['messages', 'messages?wait=30', 'append'])
    expect((await json('POST', `${path}/${end}`, { message })).body.error.code).toBe('DUPLICATE')
  expect((await json('GET', path)).body.messages).toHaveLength(2)
})

test('what fails is told with its code, and what cannot be sent is refused', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  expect((await json('POST', `${path}/messages?wait=30`, { message: 'fail' })).body).toMatchObject({
    status: 'failed',
    error: { code: 'MODEL_FAILED' },
  })
  expect((await json('POST', `${path}/messages`, { message: 'x', agentId: 'ghost' })).status).toBe(404)
  expect((await json('POST', `${path}/messages`, { mesage: 'x' })).status).toBe(400)
  for (const message of ['', { content: [] }, { content: [{ type: 'tool-call' }] }])
    for (const way of ['messages', 'messages?wait=30', 'stream'])
      expect(await json('POST', `${path}/${way}`, { message })).toMatchObject({
        status: 400,
        body: { error: { code: 'INPUT_INVALID', message: expect.stringContaining('`content`') } },
      })
  expect((await json('POST', '/api/conversations/none/messages', { message: 'x' })).status).toBe(404)
  expect((await json('POST', '/api/conversations', { id: 'c1' })).status).toBe(409)
})

test('a conversation is its owner’s: others do not learn that it is there', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  for (const [method, end, body] of [
    ['GET', '', undefined],
    ['POST', '/messages', { message: 'x' }],
    ['POST', '/fork', {}],
    ['POST', '/cancel', {}],
    ['PATCH', '', { metadata: {} }],
    ['DELETE', '', undefined],
  ] as const)
    expect((await json(method, `${path}${end}`, body, 'bob')).status).toBe(404)
  expect((await json('GET', '/api/conversations', undefined, 'bob')).body).toEqual({ conversations: [] })
  // Ids are those of the store: that one is taken is all that others learn of it.
  const id = decodeURIComponent(path.split('/').at(-1)!)
  expect((await json('POST', '/api/conversations', { id }, 'bob')).status).toBe(409)
})

test('answers are what the document says of them', async () => {
  const scene = talk()
  const { json } = scene
  const path = await begun(scene)
  const { paths } = (await json('GET', '/openapi.json')).body
  const schemaOf = (route: string, method: string, status: number): object =>
    paths[route][method].responses[status].content['application/json'].schema
  const sent = await json('POST', `${path}/messages?wait=30`, { message: 'wipe' })
  const cases: readonly (readonly [object, unknown])[] = [
    [schemaOf('/api/conversations/{conversationId}/messages', 'post', 201), sent.body],
    [schemaOf('/api/conversations/{conversationId}', 'get', 200), (await json('GET', path)).body],
    [schemaOf('/api/conversations', 'get', 200), (await json('GET', '/api/conversations')).body],
  ]
  for (const [schema, body] of cases) {
    const checked = jsonSchemaCheck(schema as never, 'an answer')(body as never)
    expect(checked.valid ? [] : checked.issues).toEqual([])
  }
})

test('how long a request may wait is the limit of the server, for conversations as for runs', async () => {
  const { json } = talk({ waitSeconds: 90 })
  await json('POST', '/api/conversations', { id: 'c1', agentId: 'echo' })
  const sent = { message: 'Hi.' }
  expect((await json('POST', '/api/conversations/c1/messages?wait=90', sent)).status).toBe(201)
  for (const [path, body] of [
    ['/api/conversations/c1/messages', sent],
    ['/api/conversations/c1/continue', {}],
    ['/api/runs', { agent: 'echo', prompt: 'Hi.' }],
  ] as const)
    expect([path, (await json('POST', `${path}?wait=91`, body)).status]).toEqual([path, 400])
})
