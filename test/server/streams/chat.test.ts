import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { afterEach, expect, test } from 'vitest'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function serve(store?: Awaited<ReturnType<typeof openStore>>) {
  const erase = defineTool({ name: 'erase', risk: 'write', needsApproval: true, run: () => 'erased' })
  const model = scripted([{ reasoning: 'Hm.', toolCalls: [{ name: 'erase' }] }, 'Gone.'])
  const agents = [
    { id: 'helper', model, tools: [erase] },
    { id: 'slow', model: scripted([{ hang: true, text: 'Once' }]) },
  ]
  const service = new AgentService({ agents, store, mandate: { roles: { user: ['run-agent'] } } })
  const [ana, ben] = [newToken(), newToken()]
  const server = httpServer(service, {
    tokens: [
      { token: ana, identity: { id: 'ana', roles: ['user'] } },
      { token: ben, identity: { id: 'ben', roles: ['user'] } },
    ],
  })
  open.push(
    () => server.close(),
    () => service.stop(),
  )
  const call = (method: string, path: string, body?: unknown, token = ana): Promise<Response> =>
    server.fetch(
      new Request(`http://127.0.0.1:8080${path}`, {
        method,
        headers: { host: '127.0.0.1:8080', authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
  return { service, call, ben }
}

const hello = { id: 'chat-1', messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }] }

test('a stream is one that useChat reads, and names its run', async () => {
  const { call } = serve()
  const answer = await call('POST', '/api/chat/helper', hello)
  expect(answer.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  const run = answer.headers.get('x-mandate-run')!
  const text = await answer.text()
  expect(text).toContain(`"messageMetadata":{"runId":"${run}"}`)
  expect(text).toContain('"type":"tool-approval-request"')
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true)
})

test('messages of a conversation are those of its last run, for who may read it', async () => {
  const { call, service, ben } = serve()
  await (await call('POST', '/api/chat/helper', hello)).text()
  const { messages } = (await (await call('GET', '/api/chat/helper/chat-1')).json()) as { messages: object[] }
  expect(messages).toMatchObject([
    { role: 'user', parts: [{ type: 'text', text: 'Hello.' }] },
    { role: 'assistant', parts: [{}, { type: 'reasoning' }, { type: 'tool-erase', state: 'approval-requested' }] },
  ])
  expect(await (await call('GET', '/api/chat/helper/chat-1', undefined, ben)).json()).toEqual({ messages: [] })
  expect((await call('GET', '/api/chat/helper/chat-1/stream')).status).toBe(204)
  const [request] = await service.approvals()
  await service.approve(request!.id)
  await expect.poll(async () => (await service.runs())[0]!.state).toBe('completed')
  const after = (await (await call('GET', '/api/chat/helper/chat-1')).json()) as { messages: { parts: object[] }[] }
  expect(after.messages[1]!.parts.at(-1)).toMatchObject({ type: 'text', text: 'Gone.' })
})

test('a client that leaves does not end the run; DELETE does', async () => {
  const { call, service } = serve()
  const reader = (await call('POST', '/api/chat/slow', { ...hello, id: 'chat-2' })).body!.getReader()
  await reader.read()
  await reader.cancel()
  await expect.poll(async () => (await service.runs())[0]?.state).toBe('running')
  const rest = (await call('GET', '/api/chat/slow/chat-2/stream')).body!.getReader()
  let text = ''
  while (!text.includes('"delta":"Once"')) text += new TextDecoder().decode((await rest.read()).value)
  await rest.cancel()
  expect((await call('DELETE', '/api/chat/slow/chat-2/stream')).status).toBe(204)
  await expect.poll(async () => (await service.runs())[0]!.state).toBe('cancelled')
})

test('a new message is refused while its chat is being answered, and taken when that is over', async () => {
  const { call, service } = serve()
  const chat = { ...hello, id: 'tabs' }
  const [first, second] = await Promise.all([
    call('POST', '/api/chat/slow', chat),
    call('POST', '/api/chat/slow', chat),
  ])
  expect(new Set([first.status, second.status])).toEqual(new Set([200, 409]))
  const reader = (first.status === 200 ? first : second).body!.getReader()
  let text = ''
  while (!text.includes('"delta":"Once"')) text += new TextDecoder().decode((await reader.read()).value)
  const third = await call('POST', '/api/chat/slow', chat)
  expect([third.status, await third.json()]).toMatchObject([409, { error: { code: 'RUN_STATE' } }])
  expect(await service.runs()).toHaveLength(1)
  await reader.cancel()
  await call('DELETE', '/api/chat/slow/tabs/stream')
  await expect.poll(async () => (await service.runs())[0]!.state).toBe('cancelled')
  const fourth = await call('POST', '/api/chat/slow', chat)
  expect(fourth.status).toBe(200)
  await fourth.body!.cancel()
})

test('of two messages that come to two servers of one store at once, one is answered', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mandate-chat-'))
  const message = (text: string) => ({
    id: 'c',
    messages: [{ id: text, role: 'user', parts: [{ type: 'text', text }] }],
  })
  const thread = (text: string) => ({
    ...{ threadId: 't', runId: text, tools: [], context: [], state: {}, forwardedProps: {} },
    messages: [{ id: text, role: 'user', content: text }],
  })
  const servers = [serve(await openStore({ dir })), serve(await openStore({ dir }))] as const
  open.push(() => rm(dir, { recursive: true }))
  for (const [path, body] of [
    ['/api/chat/slow', message],
    ['/api/ag-ui/slow', thread],
  ] as const) {
    const texts = ['One?', 'Another?']
    const answers = await Promise.all(servers.map(({ call }, n) => call('POST', path, body(texts[n]!))))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    for (const { body: stream } of answers) await stream!.cancel()
  }
  expect(await servers[0].service.runs()).toHaveLength(2)
})

test('an answer that was under way when the messages were read is streamed, also when it has ended meanwhile', async () => {
  const { call, service } = serve()
  const reader = (await call('POST', '/api/chat/slow', { ...hello, id: 'chat-3' })).body!.getReader()
  await reader.read()
  await expect.poll(async () => (await service.runs())[0]?.state).toBe('running')
  const { messages } = (await (await call('GET', '/api/chat/slow/chat-3')).json()) as { messages: object[] }
  expect(messages).toHaveLength(1)
  await service.cancel((await service.runs())[0]!.run)
  const rest = await call('GET', '/api/chat/slow/chat-3/stream')
  expect(rest.status).toBe(200)
  expect(await rest.text()).toContain('"type":"abort"')
  expect((await call('GET', '/api/chat/slow/chat-3/stream')).status).toBe(204)
  await reader.cancel()
})

test('what cannot be read is refused, and so is an agent that is not there', async () => {
  const { call, service } = serve()
  expect((await call('POST', '/api/chat/nobody', hello)).status).toBe(404)
  const huge = { role: 'user', parts: [{ type: 'text', text: 'x'.repeat(10_000) }, { type: 'text' }] }
  const refused = await call('POST', '/api/chat/helper', { messages: [huge] })
  expect([refused.status, (await refused.text()).length < 2_000]).toEqual([400, true])
  expect((await call('POST', '/api/chat/helper', {})).status).toBe(400)
  expect(await service.runs()).toHaveLength(0)
})
