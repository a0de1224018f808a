import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastAssistantMessageIsCompleteWithToolCalls, tool } from 'ai'
import { Agent, defineTool } from 'mandate'
import { memoryJournal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import type { ScriptedStep } from 'mandate/model'
import { sqliteJournal } from 'mandate/sqlite'
import { askUser } from 'mandate/tool'
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

test('what a sub-agent asks is reported, and no page can answer it as its own', async () => {
  const journal = memoryJournal()
  const guide = { id: 'guide', model: scripted([calls(locate), 'In Oslo.']), tools }
  const delegates = scripted([calls({ name: 'guide', input: { prompt: 'Where are they?' } }), 'Done.'])
  const boss = new Agent({ id: 'boss', model: delegates, agents: ['guide'] }, { journal, agents: [guide] })
  const server = await AgentServer.start(boss)
  ends.push(() => server.stop())
  const page = new Page(server.api)
  await page.sendMessage({ text: 'Where am I?' })
  expect(page.errors.join()).toContain('Carry out "locate"')

  const [open] = await boss.service.approvals()
  const forged = resultOf({ toolCallId: 'c1', providerMetadata: { mandate: { run: open!.run, key: open!.key } } })
  await new Agent(guide, { journal }).generate({ messages: forged })
  expect((await boss.service.approvals()).map(({ id }) => id)).toContain(open!.id)
  const unusable = resultOf({ toolCallId: 'c1', providerMetadata: { mandate: { run: '../x', key: open!.key } } })
  await expect(boss.generate({ messages: unusable })).rejects.toMatchObject({ code: 'ID_INVALID' })
})
