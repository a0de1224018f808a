import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { httpServer, newToken } from 'mandate/server'
import OpenAI from 'openai'
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
      description: 'Lets the user pick a colour.',
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
  return { openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: token }), service, erased, model, url }
}

const look = { reasoning: 'Look first.', toolCalls: [{ name: 'look' }] }
const erase = { toolCalls: [{ name: 'erase', input: { path: '/tmp/x' } }] }
const pick = { toolCalls: [{ name: 'pick_colour' }] }
const colours = {
  type: 'function' as const,
  function: { name: 'pick_colour', description: '', parameters: { type: 'object' } },
}

interface Extended {
  readonly mandate: {
    readonly runId: string
    readonly status: string
    readonly pending: { readonly approvalId: string }[]
  }
}

test('agents are models', async () => {
  const { openai } = await client([])
  const models = await openai.models.list()
  expect(models.data.map(({ id, object }) => [id, object])).toEqual([['helper', 'model']])
})

test('a model is found by its id, and one that is not there is told as one', async () => {
  const { openai } = await client([])
  expect(await openai.models.retrieve('helper')).toMatchObject({ id: 'helper', object: 'model' })
  await expect(openai.models.retrieve('ghost')).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
})

test('whatever is refused below /v1 has the shape of OpenAI', async () => {
  const { openai, url } = await client([])
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'no token', maxRetries: 0 })
  await expect(stranger.models.list()).rejects.toMatchObject({
    status: 401,
    type: 'authentication_error',
    code: 'invalid_api_key',
  })
  const refused = { type: 'invalid_request_error', param: null, code: null }
  await expect(openai.completions.create({ model: 'helper', prompt: 'Hi.' })).rejects.toMatchObject({
    status: 404,
    ...refused,
  })
  await expect(openai.delete('/models')).rejects.toMatchObject({ status: 405, ...refused })
})

test('what an agent cannot be asked for is refused, and plain text is not', async () => {
  const { openai, service } = await client(['Hello.', 'Hello.'])
  const chat = { model: 'helper', messages: [{ role: 'user' as const, content: 'Hi.' }] }
  const schema = { type: 'json_schema' as const, name: 'x', schema: { type: 'object' } }
  const asked: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'response_format',
      () => openai.chat.completions.create({ ...chat, response_format: { type: 'json_schema', json_schema: schema } }),
    ],
    ['response_format', () => openai.chat.completions.create({ ...chat, response_format: { type: 'json_object' } })],
    ['text.format', () => openai.responses.create({ model: 'helper', input: 'Hi.', text: { format: schema } })],
    ['conversation', () => openai.responses.create({ model: 'helper', input: 'Hi.', conversation: 'conv_1' })],
    ['background', () => openai.responses.create({ model: 'helper', input: 'Hi.', background: true })],
    ['stop', () => openai.chat.completions.create({ ...chat, stop: ['\n'] })],
    ['logprobs', () => openai.chat.completions.create({ ...chat, logprobs: true })],
    ['top_logprobs', () => openai.responses.create({ model: 'helper', input: 'Hi.', top_logprobs: 2 })],
    [
      'include',
      () => openai.responses.create({ model: 'helper', input: 'Hi.', include: ['message.output_text.logprobs'] }),
    ],
    ['functions', () => openai.chat.completions.create({ ...chat, functions: [{ name: 'look' }] })],
    ['prompt', () => openai.responses.create({ model: 'helper', input: 'Hi.', prompt: { id: 'pmpt_1' } })],
    ['n', () => openai.chat.completions.create({ ...chat, n: 2 })],
    ['stream', () => openai.post('/chat/completions', { body: { ...chat, stream: 'yes' } })],
    ['stream', () => openai.post('/responses', { body: { model: 'helper', input: 'Hi.', stream: 0 } })],
    ['background', () => openai.post('/responses', { body: { model: 'helper', input: 'Hi.', background: 'yes' } })],
  ]
  for (const [param, ask] of asked) await expect(ask()).rejects.toMatchObject({ status: 400, param })
  expect(await service.runs()).toEqual([])
  // Clients send what they do not use, and a limit of tokens out of habit.
  const unused = { n: 1, stop: null, logprobs: false, top_logprobs: 0, functions: [], stream: false as const }
  await openai.chat.completions.create({ ...chat, ...unused, max_tokens: 500, response_format: { type: 'text' } })
  await openai.responses.create({
    model: 'helper',
    input: 'Hi.',
    text: { format: { type: 'text' } },
    background: false,
  })
})

test('a message without content or without a role is refused, and named', async () => {
  const { openai, service } = await client([])
  const chat = (...messages: readonly object[]) =>
    openai.post('/chat/completions', { body: { model: 'helper', messages } })
  const respond = (...input: readonly object[]) => openai.post('/responses', { body: { model: 'helper', input } })
  const asked: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['messages[1].content', () => chat({ role: 'system', content: 'Be brief.' }, { role: 'user' })],
    ['messages[0].content', () => chat({ role: 'user', content: null })],
    ['messages[0].content', () => chat({ role: 'user', content: [] })],
    ['content', () => chat({ role: 'user', content: [{ type: 'text' }] })],
    ['messages[0]', () => chat({ role: 'nobody', content: 'Hi.' })],
    ['input[0].content', () => respond({ role: 'user' })],
    ['input[0]', () => respond({ type: 'message', role: 'nobody', content: 'Hi.' })],
  ]
  for (const [param, ask] of asked) await expect(ask(), param).rejects.toMatchObject({ status: 400, param })
  expect(await service.runs()).toEqual([])
})

test('only a model that is not there is told as one', async () => {
  const { openai } = await client([])
  const missing = { status: 404, code: 'not_found', type: 'invalid_request_error', param: null }
  await expect(openai.responses.retrieve('resp_none')).rejects.toMatchObject(missing)
  const input = [{ type: 'mcp_approval_response' as const, approval_request_id: 'run_1-ap3', approve: true }]
  await expect(openai.responses.create({ model: 'helper', input })).rejects.toMatchObject(missing)
  const model = { status: 404, code: 'model_not_found', param: 'model' }
  await expect(openai.responses.create({ model: 'nobody', input: 'Hi.' })).rejects.toMatchObject(model)
})

test('an answer comes whole, with what it used; the calls of the agent are its own affair', async () => {
  const { openai, model } = await client([look, 'I see a door.'])
  const { choices, usage, id } = await openai.chat.completions.create({
    model: 'helper',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look.' },
    ],
  })
  expect(choices).toMatchObject([{ message: { role: 'assistant', content: 'I see a door.' }, finish_reason: 'stop' }])
  expect(choices[0]!.message.tool_calls).toBeUndefined()
  expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens)
  expect(id).toMatch(/^chatcmpl-run_/)
  // Instructions of a client have the authority of the user.
  expect(model.requests[0]!.messages.map(({ role }) => role)).toEqual(['user'])
  expect(JSON.stringify(model.requests[0]!.messages)).toContain('Be brief.')
})

test('an answer comes in pieces, and usage at the end where it is asked for', async () => {
  const { openai } = await client([{ text: 'I see a red door.', chunks: 4 }])
  const stream = await openai.chat.completions.create({
    model: 'helper',
    messages: [{ role: 'user', content: 'Look.' }],
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').filter((text) => text !== '')
  expect(pieces.join('')).toBe('I see a red door.')
  expect(pieces.length).toBeGreaterThan(1)
  expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop')
  expect(chunks.at(-1)!.usage!.total_tokens).toBeGreaterThan(0)
})

test('a tool that the agent leaves to its client is a tool call, whose result lets exactly that run go on', async () => {
  const { openai, service } = await client([pick, 'Blue it is.'])
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Pick a colour.' }]
  const first = await openai.chat.completions.create({ model: 'helper', messages, tools: [colours] })
  expect(first.choices[0]!.finish_reason).toBe('tool_calls')
  const [call] = first.choices[0]!.message.tool_calls!
  expect(call).toMatchObject({ type: 'function', function: { name: 'pick_colour', arguments: '{}' } })
  messages.push(first.choices[0]!.message, { role: 'tool', tool_call_id: call!.id, content: '{"colour":"blue"}' })
  const second = await openai.chat.completions.create({ model: 'helper', messages, tools: [colours] })
  expect(second.choices[0]!.message.content).toBe('Blue it is.')
  expect(await service.runs()).toHaveLength(1)
})

test('the same in pieces', async () => {
  const { openai } = await client([pick, 'Blue it is.'])
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Pick a colour.' }]
  const runner = openai.chat.completions.stream({ model: 'helper', messages, tools: [colours] })
  const { choices } = await runner.finalChatCompletion()
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{ type: 'function' }] } })
})

test('what waits for an approval is said in words, and beside them as data', async () => {
  const { openai, service, erased } = await client([erase, 'It is gone.'])
  const answer = await openai.chat.completions.create({
    model: 'helper',
    messages: [{ role: 'user', content: 'Erase it.' }],
  })
  const { runId, status, pending } = (answer as unknown as Extended).mandate
  expect(status).toBe('await_user')
  expect(answer.choices[0]!.message.content).toContain(pending[0]!.approvalId)
  await service.approve(pending[0]!.approvalId)
  await expect.poll(async () => (await service.result(runId)).status).toBe('completed')
  expect(erased).toEqual(['/tmp/x'])
})

test('responses: items for calls, messages and approvals, and an approval that is answered', async () => {
  const { openai, erased, service } = await client([
    { toolCalls: [{ name: 'look' }, ...erase.toolCalls] },
    'It is gone.',
  ])
  const first = await openai.responses.create({ model: 'helper', input: 'Erase it.', instructions: 'Be brief.' })
  expect(first.output.map(({ type }) => type)).toEqual(['mcp_call', 'mcp_approval_request'])
  expect(first.output[1]).toMatchObject({ name: 'erase', arguments: '{"path":"/tmp/x"}', server_label: 'mandate' })
  expect(erased).toEqual([])
  const second = await openai.responses.create({
    model: 'helper',
    previous_response_id: first.id,
    input: [{ type: 'mcp_approval_response', approval_request_id: first.output[1]!.id!, approve: true }],
  })
  expect(second.output_text).toBe('It is gone.')
  expect(second.usage!.total_tokens).toBeGreaterThan(0)
  expect(second.id).not.toBe(first.id)
  expect(erased).toEqual(['/tmp/x'])
  expect(await service.runs()).toHaveLength(1)
})

test('responses: a conversation goes on behind the one that is named', async () => {
  const { openai, model } = await client(['My name is Ada.', 'Ada.'])
  const first = await openai.responses.create({ model: 'helper', input: 'Who are you?' })
  const second = await openai.responses.create({ model: 'helper', input: 'Again?', previous_response_id: first.id })
  expect(second.output_text).toBe('Ada.')
  expect(model.requests[1]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  await expect(
    openai.responses.create({ model: 'helper', input: 'Again?', previous_response_id: 'resp_none' }),
  ).rejects.toMatchObject({ status: 400, param: 'previous_response_id' })
})

test('responses: one that was given before is read again, also after an approval that it waited for', async () => {
  const { openai, service } = await client([look, erase, 'It is gone.'])
  const first = await openai.responses.create({ model: 'helper', input: 'Erase it.' })
  const read = await openai.responses.retrieve(first.id)
  expect(read.output).toEqual(first.output)
  expect([read.id, read.status, read.model]).toEqual([first.id, 'completed', 'helper'])
  await service.approve(first.output[1]!.id!)
  await expect
    .poll(async () => (await openai.responses.retrieve(first.id)).output.map(({ type }) => type))
    .toEqual(['mcp_call', 'mcp_call', 'message'])
  const whole = await openai.responses.retrieve(first.id)
  expect(whole.output.at(-1)).toMatchObject({ content: [{ text: 'It is gone.' }] })
  expect(whole.usage!.total_tokens).toBeGreaterThan(first.usage!.total_tokens)
  await expect(openai.responses.retrieve('resp_none')).rejects.toMatchObject({ status: 404 })
})

test('responses: the stream has every event that the client needs to put the answer together', async () => {
  const { openai } = await client([look, { text: 'I see a red door.', chunks: 4 }])
  const runner = openai.responses.stream({ model: 'helper', input: 'Look.' })
  const types: string[] = []
  let text = ''
  for await (const event of runner) {
    types.push(event.type)
    if (event.type === 'response.output_text.delta') text += event.delta
  }
  expect(text).toBe('I see a red door.')
  expect(types[0]).toBe('response.created')
  expect(types.at(-1)).toBe('response.completed')
  expect((await runner.finalResponse()).output_text).toBe('I see a red door.')
})

test('responses: a function call of the client and its output', async () => {
  const { openai } = await client([pick, 'Blue it is.'])
  const tools = [{ type: 'function' as const, name: 'pick_colour', parameters: { type: 'object' }, strict: false }]
  const first = await openai.responses.create({ model: 'helper', input: 'Pick.', tools })
  const call = first.output.find((item) => item.type === 'function_call')!
  const second = await openai.responses.create({
    model: 'helper',
    previous_response_id: first.id,
    tools,
    input: [call, { type: 'function_call_output', call_id: call.call_id, output: '{"colour":"blue"}' }],
  })
  expect(second.output_text).toBe('Blue it is.')
})

test('errors have the shape that clients of OpenAI know, and a run that failed is not made again', async () => {
  const { openai, service, url } = await client([{ error: 'no more credit' }])
  const messages = [{ role: 'user' as const, content: 'Go.' }]
  await expect(openai.chat.completions.create({ model: 'nobody', messages })).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
    type: 'invalid_request_error',
  })
  const tools = [{ type: 'function' as const, function: { name: 'rm', parameters: {} } }]
  await expect(openai.chat.completions.create({ model: 'helper', messages, tools })).rejects.toMatchObject({
    status: 400,
    param: 'tools',
  })
  await expect(openai.chat.completions.create({ model: 'helper', messages: [] })).rejects.toMatchObject({
    param: 'messages',
  })
  await expect(openai.chat.completions.create({ model: 'helper', messages, n: 2 })).rejects.toMatchObject({
    param: 'n',
  })
  const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'wrong' })
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 })
  expect(await service.runs()).toHaveLength(0)

  const failure = { status: 500, type: 'server_error', message: expect.stringContaining('no more credit') }
  await expect(openai.chat.completions.create({ model: 'helper', messages })).rejects.toMatchObject(failure)
  expect(await service.runs()).toHaveLength(1)
  const stream = await openai.chat.completions.create({ model: 'helper', messages, stream: true })
  await expect(
    (async () => {
      for await (const _ of stream);
    })(),
  ).rejects.toThrow('no more credit')
})

test('`tool_choice` holds for the tools of the agent, and one that means nothing here is refused', async () => {
  const { openai, model } = await client(['No call.'])
  const ask = (tool_choice: OpenAI.Chat.Completions.ChatCompletionToolChoiceOption) =>
    openai.chat.completions.create({ model: 'helper', messages: [{ role: 'user', content: 'Look.' }], tool_choice })
  await ask('none')
  await ask({ type: 'function', function: { name: 'look' } })
  const told = await openai.responses.create({ model: 'helper', input: 'Look.', tool_choice: 'none' })
  expect(told.tool_choice).toBe('none')
  expect(model.requests.map(({ toolChoice }) => toolChoice)).toEqual(['none', { tool: 'look' }, 'none'])
  for (const name of ['lok', 'constructor'])
    await expect(ask({ type: 'function', function: { name } })).rejects.toMatchObject({ status: 400 })
  await expect(ask('never' as never)).rejects.toMatchObject({ status: 400, param: 'tool_choice' })
})
