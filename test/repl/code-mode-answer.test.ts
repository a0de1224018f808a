import { expect, it } from 'vitest'
import { Agent, AgentService, defineTool } from 'mandate'
import { Atlas, agent as chatAgent, chatText } from 'mandate/chat'
import { memoryJournal } from 'mandate/journal'
import { scripted, textOf } from 'mandate/model'
import { httpServer } from 'mandate/server'

const cell = (source: string): string => `Let me see.\n\`\`\`js\n${source}\n\`\`\``
const ANSWERING = cell('answer("R" + 6 * 7)')
const look = defineTool({ name: 'look', risk: 'read', run: () => 7 })

const TOKEN = 't'.repeat(40)

/** A service over HTTP, and what a client is told that asks it. */
function served(script: readonly string[]) {
  const service = new AgentService({ agents: [{ id: 'main', mode: 'code', model: scripted(script), tools: [look] }] })
  const server = httpServer(service, { tokens: [{ token: TOKEN, identity: { id: 'ana', roles: ['owner'] } }] })
  const ask = async (path: string, body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', host: '127.0.0.1' }
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await server.fetch(new Request(`http://127.0.0.1${path}`, { headers, ...sent }))).text()
  }
  return { service, ask }
}

const DELTA = /"type":"(text|reasoning)-delta","id":"[^"]*","delta":("(?:[^"\\]|\\.)*")/g

/** What a stream of `useChat` says, by kind. */
function said(stream: string): { text: string; reasoning: string } {
  const whole = { text: '', reasoning: '' }
  for (const [, kind, delta] of stream.matchAll(DELTA)) whole[kind as 'text'] += JSON.parse(delta!) as string
  return whole
}

it('the answer of a cell is the text of the run, streamed once, and what the model wrote is its reasoning', async () => {
  const agent = new Agent({ mode: 'code', model: scripted([cell('await tools.look({})'), ANSWERING]), tools: [look] })
  const run = agent.run('What?')
  const events: { readonly type: string; readonly data: unknown }[] = []
  for await (const event of run) events.push(event)
  const texts = (type: string): string =>
    events.map((event) => (event.type === type ? (event.data as { text: string }).text : '')).join('')
  expect(texts('text-delta')).toBe('R42')
  expect(texts('reasoning-delta')).toBe(`${cell('await tools.look({})')}${ANSWERING}`)
  let streamed = ''
  for await (const piece of run.textStream) streamed += piece
  expect(streamed).toBe('R42')
  expect(await run).toMatchObject({ text: 'R42', lastText: 'R42', result: 'R42', answeredBy: 'cell' })
  await agent.stop()
})

it('clients of OpenAI get the answer, and no source', async () => {
  const { service, ask } = served([ANSWERING])
  const body = { model: 'main', messages: [{ role: 'user', content: 'What?' }] }
  expect(JSON.parse(await ask('/v1/chat/completions', body)).choices[0].message.content).toBe('R42')
  const output = [{ type: 'message', content: [{ text: 'R42' }] }]
  const response = JSON.parse(await ask('/v1/responses', { model: 'main', input: 'What?' }))
  expect(response.output).toMatchObject(output)
  expect(JSON.parse(await ask(`/v1/responses/${response.id}`)).output).toMatchObject(output)
  await service.stop()
})

it('a page of useChat gets cells as reasoning and the answer as text, also when it is loaded again', async () => {
  const { service, ask } = served([ANSWERING])
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'What?' }] }]
  expect(said(await ask('/api/chat/main', { id: 'c1', messages }))).toEqual({ text: 'R42', reasoning: ANSWERING })
  const { messages: kept } = JSON.parse(await ask('/api/chat/main/c1'))
  expect(kept.at(-1).parts).toMatchObject([
    { type: 'step-start' },
    { type: 'reasoning', text: ANSWERING },
    { type: 'text', text: 'R42' },
  ])
  await service.stop()
})

it('a conversation answers with what the cell answered', async () => {
  const atlas = new Atlas({ agents: [chatAgent({ id: 'main', model: scripted([ANSWERING]), mode: 'code' })] })
  expect(chatText(await atlas.ask('What?'))).toBe('R42')
})

it('a later run of the session is told the answer that was given', async () => {
  const model = scripted([ANSWERING, cell('answer("again")')])
  const session = new Agent({ mode: 'code', model }).createSession()
  await session.run('First?')
  await session.run('Second?')
  expect(model.requests[1]!.messages.slice(1).map(textOf)).toEqual(['First?', ANSWERING, 'R42', 'Second?'])
})

it('a run that waits has said nothing yet, and replays as it was', async () => {
  const wipe = defineTool({ name: 'wipe', risk: 'read', needsApproval: true, run: () => 'wiped' })
  const journal = memoryJournal()
  const script = [cell('await tools.wipe({})'), ANSWERING]
  const host = (): AgentService =>
    new AgentService({ journal, agents: [{ id: 'main', mode: 'code', model: scripted(script), tools: [wipe] }] })
  const waiting = await host().run('main', 'Go.')
  expect(waiting).toMatchObject({ status: 'await_user', text: '', lastText: '' })
  const second = host()
  await second.approve((await second.approvals())[0]!.id)
  expect(await second.resume(waiting.id)).toMatchObject({ text: 'R42', actions: [{ toolId: 'wipe' }] })
  expect(await second.replay(waiting.id)).toMatchObject({ identical: true })
})

it('a second reply without a cell is the answer, and the result says that no cell gave it', async () => {
  const model = scripted(['I think.', 'It is 7.'])
  const result = await new Agent({ mode: 'code', model }).run('What?')
  expect(result).toMatchObject({ text: 'It is 7.', result: 'It is 7.', answeredBy: 'reply' })
  expect(result.messages.map(textOf).filter((text) => text === 'It is 7.')).toHaveLength(1)
})

it('the calls of cells are actions of the run, also those of a cell that failed', async () => {
  const model = scripted([cell('await tools.look({ a: 1 }); null.x'), ANSWERING])
  const result = await new Agent({ mode: 'code', model, tools: [look] }).run('What?')
  expect(result.actions).toMatchObject([{ toolId: 'look', input: { a: 1 }, ok: true, status: 'ok' }])
  expect(result.report().toolsUsed).toEqual(['look'])
})

it('what a cell prints and calls is told to those who follow the agent, with the run of the cell', async () => {
  const model = scripted([cell('print("a"); await tools.look({})'), ANSWERING])
  const run = new Agent({ mode: 'code', model, tools: [look] }).run('What?')
  const told: unknown[] = []
  for await (const event of run) {
    if (event.type === 'cell-output') told.push([event.data.text, event.data.cell?.startsWith(`${run.id}.`)])
    if (event.type === 'cell-call') told.push([event.data.phase, event.data.record.name])
  }
  expect(told).toEqual([
    ['a', true],
    ['started', 'look'],
    ['completed', 'look'],
  ])
})

it('the template of the prompt and its version are recorded with the run', async () => {
  const result = await new Agent({ mode: 'code', model: scripted([ANSWERING]) }).run('What?')
  expect(result.report().provenance.code).toEqual({ template: 'general', version: expect.any(Number) })
})
