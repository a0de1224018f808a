import { expect, it } from 'vitest'
import { AgentService } from 'mandate'
import { Atlas, Conversations, agent, chatText, databaseConversations } from 'mandate/chat'
import { memoryJournal } from 'mandate/journal'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { handoffTeam, plannedTeam, routeByRole } from 'mandate/team'

const toBilling = { toolCalls: [{ name: 'hand_off', input: { agent: 'billing' } }] }

it('whoever took a conversation over keeps it in the next turns, also in another process', async () => {
  const triage = scripted([toBilling], { name: 'triage', by: 'call' })
  const billing = scripted(['You get it back.', 'Tomorrow.'], { name: 'billing', by: 'call' })
  const agents = handoffTeam({
    id: 'desk',
    members: [
      { id: 'triage', model: triage },
      { id: 'billing', model: billing },
    ],
  })
  const journal = memoryJournal()
  const store = databaseConversations(inMemoryDatabase())
  const open = (): Conversations => new Conversations(new AgentService({ agents, journal }), { store })
  await open().create({ id: 'c', agentId: 'desk' })
  expect(chatText(await open().send('c', 'My money, please.').finalMessage)).toBe('You get it back.')
  expect(chatText(await open().send('c', 'When?').finalMessage)).toBe('Tomorrow.')
  expect([triage.requests.length, billing.requests.length]).toEqual([1, 2])
})

it('strategies of teams choose for Atlas', async () => {
  const named = (id: string): ReturnType<typeof agent> =>
    agent({ id, model: scripted(() => `Here is ${id}.`, { name: id }) })
  const route = routeByRole({ billing: ['invoice'] }, { otherwise: 'support' })
  const atlas = new Atlas({ agents: [named('support'), named('billing')] })
  atlas.routeMessage((message, { agents }) => route(message, agents))
  expect(chatText(await atlas.ask('Where is my invoice?'))).toBe('Here is billing.')
  expect(chatText(await atlas.ask('It does not start.'))).toBe('Here is support.')
})

it('a run of a team is forked: what its members had done is not done again', async () => {
  const worker = scripted(() => 'White.', { name: 'worker' })
  const writer = scripted(['First.', 'Second.'], { name: 'writer', by: 'call' })
  const service = new AgentService({
    agents: plannedTeam({
      id: 'desk',
      planner: {
        id: 'planner',
        model: scripted(['{"tasks":[{"id":"a","description":"Look."}]}'], { name: 'planner' }),
      },
      workers: [{ id: 'worker', model: worker }],
      synthesiser: { id: 'writer', model: writer },
    }),
  })
  const { id, text } = await service.run('desk', 'What colour is snow?')
  expect(text).toBe('First.')
  let at = 0
  for await (const { type, key, seq } of service.entries(id))
    if (type === 'effect-start' && key?.startsWith('synthesise')) at = seq - 1
  const fork = await service.fork(id, { at })
  expect((await service.resume(fork)).text).toBe('Second.')
  expect([worker.requests.length, writer.requests.length]).toEqual([1, 2])
})
