import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastAssistantMessageIsCompleteWithToolCalls, tool } from 'ai'
import { Agent, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { sqliteJournal } from 'mandate/sqlite'
import { askUser } from 'mandate/tool'
import { registerProgram } from 'mandate/vm'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { AiSdkMessage } from '../../src/agent/ai-sdk/agent-shapes.ts'
import { shown } from './chat.ts'
import { AgentServer, Page } from './page.ts'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

const locate = { name: 'locate', input: { precise: true } }
const ask = { name: 'ask_user', input: { question: 'Which colour?', choices: ['red', 'blue'] } }
const erase = { name: 'erase', input: { path: '/tmp/x' } }

const erased: string[] = []
const tools = {
  /** As the AI SDK has it: no `execute`, so the page carries it out. */
  locate: tool({
    description: 'Finds where the user is.',
    inputSchema: z.object({ precise: z.boolean() }),
    outputSchema: z.object({ city: z.string() }),
  }),
  ask_user: askUser(),
  erase: defineTool({
    name: 'erase',
    risk: 'write',
    needsApproval: true,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    run: ({ path }: { path: string }) => void erased.push(path),
  }),
  look: defineTool({ name: 'look', risk: 'read', run: () => 'a door' }),
}

const calls = (...toolCalls: { name: string; input?: object }[]): ScriptedStep => ({ toolCalls }) as ScriptedStep

async function serve(
  script: readonly ScriptedStep[],
): Promise<{ server: AgentServer; agent: Agent; requests: readonly { messages: unknown }[] }> {
  erased.length = 0
  const model = scripted(script)
  const agent = new Agent({ id: 'helper', model, tools })
  const server = await AgentServer.start(agent)
  ends.push(() => server.stop())
  return { server, agent, requests: model.requests }
}

test('a tool of the client leaves its call open, and the result that the page gives continues the same run', async () => {
  const { server, agent, requests } = await serve([calls(locate), 'You are in Oslo.', 'Yes.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Where am I?' })
  expect(page.errors).toEqual([])
  expect(page.call('locate')).toMatchObject({ state: 'input-available', input: { precise: true } })
  expect(shown(page.answer)).toEqual(['locate: input-available'])
  const [pending] = await agent.service.approvals()
  expect(pending).toMatchObject({ reason: 'question', name: 'locate', input: { input: { precise: true } } })

  await page.give('locate', { city: 'Oslo' })
  await page.sendMessage()
  expect(page.errors).toEqual([])
  expect(shown(page.answer)).toEqual(['locate: output-available', 'You are in Oslo.'])
  expect(page.messages).toHaveLength(2)
  expect((await agent.service.runs()).map(({ run, state }) => [run, state])).toEqual([[pending!.run, 'completed']])
  expect(JSON.stringify(requests[1]!.messages)).toContain('"value":{"city":"Oslo"}')

  await page.sendMessage({ text: 'Sure?' })
  expect(shown(page.answer)).toEqual(['Yes.'])
  expect(JSON.stringify(requests[2]!.messages)).not.toContain('mandate')
})

test('a page that carries out calls as they come, and sends by itself, needs nothing else', async () => {
  const { server, agent } = await serve([calls(locate), calls(locate), 'Still in Oslo.'])
  const page: Page = new Page(server.api, {
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall: { toolCallId } }) => {
      void page.addToolOutput({ tool: 'locate', toolCallId, output: { city: 'Oslo' } })
    },
  })
  await page.sendMessage({ text: 'Follow me.' })
  await expect.poll(() => shown(page.answer).at(-1)).toBe('Still in Oslo.')
  expect(page.errors).toEqual([])
  expect((await agent.service.runs()).map(({ state }) => state)).toEqual(['completed'])
})

test('the result is given to the run in another process, which has only the store', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'client-tools-'))
  ends.push(() => rmSync(folder, { recursive: true }))
  const open = (script: readonly ScriptedStep[]): Agent => {
    const journal = sqliteJournal({ path: join(folder, 'journal.db') })
    const agent = new Agent({ id: 'helper', model: scripted(script), tools }, { journal })
    ends.push(() => agent.service.stop())
    return agent
  }
  const first = open([calls(locate), 'unused'])
  const server = await AgentServer.start(first)
  ends.push(() => server.stop())
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Where am I?' })
  await first.service.stop()

  server.agent = open([calls(locate), 'You are in Oslo.'])
  const reloaded = new Page(server.api, { messages: JSON.parse(JSON.stringify(page.messages)) })
  await reloaded.give('locate', { city: 'Oslo' })
  await reloaded.sendMessage()
  expect(reloaded.errors).toEqual([])
  expect(shown(reloaded.answer)).toEqual(['locate: output-available', 'You are in Oslo.'])
  expect(await server.agent.service.runs()).toHaveLength(1)
})

test('a question of ask_user is answered by its result', async () => {
  const { server } = await serve([calls(ask), 'Blue it is.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Paint it.' })
  expect(page.call('ask_user')).toMatchObject({ state: 'input-available', input: ask.input })
  await page.give('ask_user', 'blue')
  await page.sendMessage()
  expect(shown(page.answer)).toEqual(['ask_user: output-available', 'Blue it is.'])
})

test('a result that does not fit is a failed call with the reason; it can be given again', async () => {
  const { server, agent } = await serve([calls(ask), 'Red it is.'])
  const page = new Page(server.api, { sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await page.sendMessage({ text: 'Paint it.' })
  await page.give('ask_user', 'green')
  await expect.poll(() => page.status).toBe('error')
  expect(page.call('ask_user')).toMatchObject({ state: 'output-error' })
  expect(page.call('ask_user').errorText).toContain('must be one of: red, blue')
  expect(page.errors).toHaveLength(1)
  expect(await agent.service.approvals()).toHaveLength(1)

  await page.give('ask_user', 'red')
  await expect.poll(() => shown(page.answer)).toEqual(['ask_user: output-available', 'Red it is.'])
  expect(await agent.service.runs()).toHaveLength(1)
})

test('a tool that failed at the client is a call without a result, and the model is told why', async () => {
  const { server, requests } = await serve([calls(locate), 'Then not.', 'Fine.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Where am I?' })
  const { toolCallId } = page.call('locate')
  await page.addToolOutput({ state: 'output-error', tool: 'locate', toolCallId, errorText: 'no permission' })
  await page.sendMessage()
  expect(shown(page.answer)).toEqual(['locate: output-error', 'Then not.'])
  expect(JSON.stringify(requests[1]!.messages)).toContain('no permission')
  await page.sendMessage({ text: 'Good.' })
  expect(shown(page.answer)).toEqual(['Fine.'])
  expect(page.errors).toEqual([])
})

test('several calls are answered at once or one after the other, beside an approval and a tool of the server', async () => {
  const { server, agent } = await serve([calls(locate, { name: 'look' }, ask, erase), 'All done.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Go.' })
  const states = ['locate: input-available', 'look: output-available', 'ask_user: input-available']
  expect(shown(page.answer)).toEqual([...states, 'erase: approval-requested'])

  await page.give('locate', { city: 'Oslo' })
  await page.sendMessage()
  states[0] = 'locate: output-available'
  expect(shown(page.answer)).toEqual([...states, 'erase: approval-requested'])
  expect(await agent.service.approvals()).toHaveLength(2)

  const { approval } = page.call('erase') as unknown as { approval: { id: string } }
  await page.addToolApprovalResponse({ id: approval.id, approved: true })
  await page.give('ask_user', 'red')
  await page.sendMessage()
  states[2] = 'ask_user: output-available'
  expect(page.errors).toEqual([])
  expect(shown(page.answer)).toEqual([...states, 'erase: output-available', 'All done.'])
  expect(erased).toEqual(['/tmp/x'])
  expect(await agent.service.runs()).toHaveLength(1)
})

test('an approval alone lets its call run, and the questions stay open', async () => {
  const { server, agent } = await serve([calls(ask, erase), 'All done.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Go.' })
  const { approval } = page.call('erase') as unknown as { approval: { id: string } }
  await page.addToolApprovalResponse({ id: approval.id, approved: false, reason: 'keep it' })
  await page.sendMessage()
  expect(shown(page.answer)).toEqual(['ask_user: input-available', 'erase: output-denied'])
  expect(page.errors).toEqual([])
  await page.give('ask_user', 'red')
  await page.sendMessage()
  expect(shown(page.answer)).toEqual(['ask_user: output-available', 'erase: output-denied', 'All done.'])
  expect((await agent.service.runs()).map(({ state }) => state)).toEqual(['completed'])
})

test('a result of a call that was answered before is refused; one of a run that is not there is a conversation', async () => {
  const { server, agent } = await serve([calls(locate), 'You are there.'])
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Where am I?' })
  const waiting = structuredClone(page.messages)
  await page.give('locate', { city: 'Oslo' })
  const given = structuredClone(page.messages)
  await page.sendMessage()

  const late = new Page(server.api, { messages: given })
  await late.sendMessage()
  expect(late.errors.join()).toContain('no longer waits for this result')
  expect(await agent.service.runs()).toHaveLength(1)

  const { run } = (await agent.service.runs())[0]!
  const moved = JSON.parse(JSON.stringify(waiting).replaceAll(run, 'run_elsewhere')) as typeof waiting
  const stranger = new Page(server.api, { messages: moved })
  await stranger.give('locate', { city: 'Rome' })
  await stranger.sendMessage()
  expect(stranger.errors).toEqual([])
  expect(shown(stranger.answer)).toEqual(['locate: output-available', 'You are there.'])
  expect(await agent.service.runs()).toHaveLength(2)
})

/** A conversation that ends with the result of a call, as a client of `generate` writes it. */
function resultOf(call: { toolCallId: string; providerMetadata?: object }): AiSdkMessage[] {
  const { toolCallId, providerMetadata } = call
  const about = { toolCallId, toolName: 'locate' }
  return [
    { role: 'user', content: 'Where am I?' },
    {
      role: 'assistant',
      content: [{ type: 'tool-call', ...about, input: locate.input, providerOptions: providerMetadata }],
    },
    { role: 'tool', content: [{ type: 'tool-result', ...about, output: { type: 'json', value: { city: 'Oslo' } } }] },
  ]
}

test('a run of another agent or another session takes no result', async () => {
  const journal = memoryJournal()
  const make = (id: string): Agent =>
    new Agent({ id, model: scripted([calls(locate), 'You are in Oslo.']), tools }, { journal })
  const agent = make('helper')
  const asked = await agent.generate({ prompt: 'Where am I?', options: { sessionId: 'mine' } })
  const messages = resultOf(asked.toolCalls[0]!)
  const others = [
    await agent.generate({ messages, options: { sessionId: 'theirs' } }),
    await make('stranger').generate({ messages, options: { sessionId: 'mine' } }),
  ]
  for (const other of others) expect(other.runId).not.toBe(asked.runId)
  expect(await agent.service.approvals(asked.runId)).toHaveLength(1)
  const own = await agent.generate({ messages, options: { sessionId: 'mine' } })
  expect(own.runId).toBe(asked.runId)
})

/** An agent that hands everything to a sub-agent, which plays the script. */
async function delegate(
  script: readonly ScriptedStep[],
  more: readonly ScriptedStep[] = ['Done.'],
): Promise<{
  page: (init?: ConstructorParameters<typeof Page>[1]) => Page
  boss: Agent
  guide: Agent
  model: ReturnType<typeof scripted>
}> {
  erased.length = 0
  const journal = memoryJournal()
  const guide = { id: 'guide', model: scripted(script), tools }
  const model = scripted([calls({ name: 'guide', input: { prompt: 'Where are they?' } }), ...more])
  const boss = new Agent({ id: 'boss', model, agents: ['guide'] }, { journal, agents: [guide] })
  const server = await AgentServer.start(boss)
  ends.push(() => server.stop())
  return { page: (init) => new Page(server.api, init), boss, guide: new Agent(guide, { journal }), model }
}

/** The call of the page that stands for a question from below the agent. */
const nestedCall = (page: Page): { toolCallId: string; toolName: string; state: string } =>
  page.answer.parts.findLast(({ type }) => type === 'dynamic-tool') as never

const giveNested = (page: Page, output: unknown): Promise<void> => {
  const { toolName, toolCallId } = nestedCall(page)
  return Promise.resolve(page.addToolOutput({ tool: toolName, toolCallId, output: output as never }))
}

test.each([
  ['a tool of the client', locate, { city: 'Oslo' }],
  ['a question', ask, 'red'],
])('%s that a sub-agent calls is a call of the page, whose result continues the run', async (_, call, result) => {
  const { page: open, boss, model } = await delegate([calls(call), 'In Oslo.'], ['Done.', 'Yes.'])
  const page = open({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await page.sendMessage({ text: 'Where am I?' })
  expect(page.errors).toEqual([])
  expect(nestedCall(page)).toMatchObject({ toolName: call.name, input: call.input, state: 'input-available' })
  expect(shown(page.answer)).toEqual(['guide: input-available', `${call.name}: input-available`])

  await giveNested(page, result)
  await expect.poll(() => shown(page.answer).at(-1)).toBe('Done.')
  expect(page.errors).toEqual([])
  expect(shown(page.answer)).toEqual(['guide: output-available', `${call.name}: output-available`, 'Done.'])
  expect((await boss.service.runs()).map(({ state }) => state)).toEqual(['completed', 'completed'])
  expect(await boss.service.approvals()).toEqual([])

  await page.sendMessage({ text: 'Sure?' })
  await expect.poll(() => shown(page.answer)).toEqual(['Yes.'])
  expect(page.errors).toEqual([])
  expect(JSON.stringify(model.requests.at(-1)!.messages)).not.toContain(call.name)
})

test('a script asks in the same way', async () => {
  const script = `const colour = await tools.ask_user({ question: 'Which colour?', choices: ['red', 'blue'] })
    return { text: 'It is ' + colour }`
  const paint = { kind: 'program', name: 'paint', key: 'paint', input: {}, origin: 'runner' } as const
  const runner: AgentConfig['runner'] = {
    run: async (context) => ({ text: JSON.stringify(await context.perform(paint)) }),
  }
  const agent = new Agent({ id: 'painter', runner })
  await registerProgram(agent.service, script, { name: 'paint', tools: [askUser()] })
  const server = await AgentServer.start(agent)
  ends.push(() => server.stop())
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Paint it.' })
  expect(page.errors).toEqual([])
  expect(nestedCall(page)).toMatchObject({ toolName: 'ask_user', input: ask.input, state: 'input-available' })
  await giveNested(page, 'blue')
  await page.sendMessage()
  expect(page.errors).toEqual([])
  expect(shown(page.answer)).toEqual(['ask_user: output-available', expect.stringContaining('It is blue')])
})

test('a result that does not fit the question of a sub-agent is a failed call; it can be given again', async () => {
  const { page: open, boss } = await delegate([calls(ask), 'Red.'])
  const page = open()
  await page.sendMessage({ text: 'Paint it.' })
  await giveNested(page, 'green')
  await page.sendMessage()
  expect(nestedCall(page)).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('red, blue') })
  expect(page.errors).toHaveLength(1)
  expect(await boss.service.approvals()).toHaveLength(1)
  await giveNested(page, 'red')
  await page.sendMessage()
  expect(shown(page.answer)).toEqual(['guide: output-available', 'ask_user: output-available', 'Done.'])
})

test('a sub-agent that asks and needs an approval gets one after the other from a page that sends by itself', async () => {
  const { page: open, boss } = await delegate([calls(ask, erase), 'Red.'])
  const page = open({ sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls })
  await page.sendMessage({ text: 'Paint it.' })
  expect(shown(page.answer)).toEqual(['guide: approval-requested', 'ask_user: input-available'])
  await giveNested(page, 'red')
  await expect.poll(() => page.status).toBe('ready')
  expect(page.errors).toEqual([])
  const [open2] = await boss.service.approvals()
  expect(open2).toMatchObject({ reason: 'approval', name: 'erase' })
  const { approval } = page.call('guide') as unknown as { approval: { id: string } }
  await page.addToolApprovalResponse({ id: approval.id, approved: true })
  await page.sendMessage()
  expect(erased).toEqual(['/tmp/x'])
})

test('what a sub-agent asks can be answered by the page of the agent above alone', async () => {
  const { page: open, boss, guide } = await delegate([calls(locate), 'In Oslo.'])
  const page = open()
  await page.sendMessage({ text: 'Where am I?' })

  const [asked] = await boss.service.approvals()
  const forged = resultOf({ toolCallId: 'c1', providerMetadata: { mandate: { run: asked!.run, key: asked!.key } } })
  await guide.generate({ messages: forged })
  expect((await boss.service.approvals()).map(({ id }) => id)).toContain(asked!.id)
  const unusable = resultOf({ toolCallId: 'c1', providerMetadata: { mandate: { run: '../x', key: asked!.key } } })
  await expect(boss.generate({ messages: unusable })).rejects.toMatchObject({ code: 'ID_INVALID' })

  await giveNested(page, { city: 'Oslo' })
  const given = structuredClone(page.messages)
  await page.sendMessage()
  expect(shown(page.answer).at(-1)).toBe('Done.')
  const late = open({ messages: given })
  await late.sendMessage()
  expect(late.errors.join()).toContain('no longer waits for this result')
})
