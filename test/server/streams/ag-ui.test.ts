import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent } from '@ag-ui/core'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import { afterEach, expect, test } from 'vitest'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function client(script: readonly ScriptedStep[]) {
  const erased: string[] = []
  const tools = [
    defineTool({ name: 'look', risk: 'read', run: () => ({ seen: 'a door' }) }),
    defineTool({
      name: 'erase',
      risk: 'write',
      needsApproval: true,
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      run: ({ path }: { path: string }) => (erased.push(path), 'erased'),
    }),
    defineTool({
      name: 'pick_colour',
      description: 'Lets the user pick a colour in the page.',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
      client: true,
    }),
  ]
  const model = scripted(script)
  const service = new AgentService({ agents: [{ id: 'helper', model, tools }] })
  const token = newToken()
  const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }] })
  const { url } = await server.listen()
  open.push(
    () => server.close(),
    () => service.stop(),
  )
  const agent = new HttpAgent({
    url: `${url}/api/ag-ui/helper`,
    headers: { authorization: `Bearer ${token}` },
    threadId: 'thread-1',
    initialState: { theme: 'dark' },
  })
  const events: BaseEvent[] = []
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) })
  return { agent, events, erased, service, model, types: () => events.map(({ type }): string => type) }
}

const user = (content: string) => ({ id: `u-${content.length}`, role: 'user' as const, content })
interface Finished extends BaseEvent {
  readonly outcome: { readonly type: string; readonly interrupts: readonly { readonly id: string }[] }
  readonly result: { readonly run: string }
}
const finishedIn = (events: readonly BaseEvent[]): Finished => events.at(-1) as unknown as Finished

test('text, calls and results reach the client as messages, and the state says where the run stands', async () => {
  const { agent, events, types } = await client([
    { reasoning: 'Look first.', toolCalls: [{ name: 'look' }] },
    'I see a door.',
  ])
  agent.messages = [user('Look.')]
  await agent.runAgent()
  expect(types().filter((type) => !/STATE|STEP/.test(type))).toEqual([
    'RUN_STARTED',
    ...['REASONING_START', 'REASONING_MESSAGE_START', 'REASONING_MESSAGE_CONTENT'],
    ...['REASONING_MESSAGE_END', 'REASONING_END'],
    ...['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END', 'TOOL_CALL_RESULT'],
    ...['TEXT_MESSAGE_START', ...types().filter((type) => type === 'TEXT_MESSAGE_CONTENT'), 'TEXT_MESSAGE_END'],
    'RUN_FINISHED',
  ])
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'I see a door.' })
  expect(agent.messages.find(({ role }) => role === 'tool')).toMatchObject({ content: '{"seen":"a door"}' })
  expect(agent.state).toMatchObject({ theme: 'dark', mandate: { status: 'completed', turn: 2 } })
  expect(finishedIn(events)).toMatchObject({
    outcome: { type: 'success' },
    usage: [{ inputTokens: expect.any(Number) }],
  })
})

test('an approval is an interrupt; its answer lets exactly that run go on', async () => {
  const { agent, events, erased, service } = await client([
    { toolCalls: [{ name: 'erase', input: { path: '/tmp/x' } }] },
    'It is gone.',
  ])
  agent.messages = [user('Erase it.')]
  await agent.runAgent()
  const { outcome, result } = finishedIn(events)
  expect(outcome).toMatchObject({
    type: 'interrupt',
    interrupts: [{ reason: 'tool_approval', toolCallId: expect.any(String), metadata: { name: 'erase' } }],
  })
  expect(erased).toEqual([])
  await agent.runAgent({
    resume: [{ interruptId: outcome.interrupts[0]!.id, status: 'resolved', payload: { approved: true } }],
  })
  expect(finishedIn(events)).toMatchObject({
    outcome: { type: 'success' },
    result: { run: result.run, status: 'completed' },
  })
  expect(erased).toEqual(['/tmp/x'])
  expect(agent.messages.at(-1)).toMatchObject({ content: 'It is gone.' })
  expect(await service.runs()).toHaveLength(1)
})

test('an interrupt that is cancelled is a rejected call', async () => {
  const { agent, events, erased } = await client([
    { toolCalls: [{ name: 'erase', input: { path: '/tmp/x' } }] },
    'Then not.',
  ])
  agent.messages = [user('Erase it.')]
  await agent.runAgent()
  const { id } = finishedIn(events).outcome.interrupts[0]!
  await agent.runAgent({ resume: [{ interruptId: id, status: 'cancelled' }] })
  expect(erased).toEqual([])
  expect(agent.messages.at(-1)).toMatchObject({ content: 'Then not.' })
})

test('a tool of the page is a pending call, and its result goes to the run that waits for it', async () => {
  const { agent, events, service } = await client([{ toolCalls: [{ name: 'pick_colour' }] }, 'Blue it is.'])
  agent.messages = [user('Pick a colour.')]
  const tools = [{ name: 'pick_colour', description: '', parameters: { type: 'object' } }]
  await agent.runAgent({ tools })
  const { outcome } = finishedIn(events)
  const toolCallId = (agent.messages.at(-1) as { toolCalls?: { id: string }[] }).toolCalls![0]!.id
  expect(outcome).toEqual({ type: 'success', pendingToolCallIds: [toolCallId] })
  agent.messages = [...agent.messages, { id: 'r1', role: 'tool', toolCallId, content: '{"colour":"blue"}' }]
  await agent.runAgent({ tools })
  expect(agent.messages.at(-1)).toMatchObject({ content: 'Blue it is.' })
  expect(await service.runs()).toHaveLength(1)
})

test('a page without that tool is asked by an interrupt, whose payload is the answer', async () => {
  const { agent, events, service } = await client([{ toolCalls: [{ name: 'pick_colour' }] }, 'Blue it is.'])
  agent.messages = [user('Pick a colour.')]
  await agent.runAgent()
  const { outcome } = finishedIn(events)
  expect(outcome).toMatchObject({ type: 'interrupt', interrupts: [{ reason: 'question' }] })
  const { id } = outcome.interrupts[0]!
  await agent.runAgent({ resume: [{ interruptId: id, status: 'resolved', payload: { colour: 'blue' } }] })
  expect(agent.messages.at(-1)).toMatchObject({ content: 'Blue it is.' })
  expect(await service.runs()).toHaveLength(1)
})

test('a run that fails is an error, one that is aborted ends', async () => {
  const failing = await client([{ error: 'no more credit' }])
  failing.agent.messages = [user('Go.')]
  await failing.agent.runAgent().catch(() => {})
  expect(failing.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: expect.stringContaining('no more credit') })

  const { agent, service } = await client([{ hang: true, text: 'Once upon' }])
  agent.messages = [user('Tell.')]
  agent.subscribe({ onTextMessageContentEvent: () => agent.abortRun() })
  await agent.runAgent().catch(() => {})
  await expect.poll(async () => (await service.runs()).map(({ state }) => state)).toEqual(['cancelled'])
})

test('a new message is refused while its thread is being answered, and taken when that is over', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<string>()
  const step = (): Promise<string> => (asked.resolve(), answer.promise)
  const { agent, service } = await client([step, step] as never)
  const post = (content: string): Promise<Response> =>
    fetch(agent.url, {
      method: 'POST',
      headers: { ...agent.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ threadId: 'thread-1', runId: 'r', messages: [user(content)] }),
    })
  const first = await post('One.')
  await asked.promise
  const second = await post('Two.')
  expect(second.status).toBe(409)
  expect(await second.json()).toMatchObject({
    error: { code: 'RUN_STATE', message: expect.stringContaining('is being answered') },
  })
  answer.resolve('It is done.')
  await first.text()
  expect(await (await post('Two.')).text()).toContain('RUN_FINISHED')
  expect(await service.runs()).toHaveLength(2)
})
