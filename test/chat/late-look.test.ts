import { expect, test } from 'vitest'
import { AgentService } from 'mandate'
import { Atlas, agent, chatText, databaseConversations } from 'mandate/chat'
import { memoryJournal } from 'mandate/journal'
import { inMemoryDatabase } from 'mandate/memory'
import { scripted } from 'mandate/model'
import { journalWith } from '../../src/run/kernel/kernel.fixture.ts'

test('a turn that was seen before its agent was chosen, and looked at when its run had ended, keeps its answer', async () => {
  const [journal, database] = [memoryJournal(), inMemoryDatabase()]
  const [isSeen, isLate, isChosen, isOver, isStored] = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
  const agents = [agent({ id: 'helper', model: scripted(['First.']) })]
  const shared = { conversations: databaseConversations(database), conversationId: 'c1' }
  const one = new Atlas({
    ...shared,
    service: new AgentService({ journal }),
    agents,
    interceptors: { incomingMessage: async (message) => (isOver!.resolve(), await isStored!.promise, message) },
  })
  one.on('message:sent', () => isChosen!.promise)
  // The first look of the other at the run takes until the run has ended.
  const slow = journalWith(journal, {
    summary: async (run) => {
      isSeen!.resolve()
      await isLate!.promise
      return journal.summary(run)
    },
  })
  const other = new Atlas({
    ...shared,
    service: new AgentService({ journal: slow }),
    agents: [agent({ id: 'helper', model: scripted(['Never said.', 'Second.']) })],
  })
  const first = one.send('One.')
  await expect.poll(async () => (await one.getConversation()).status).toBe('running')
  const second = other.send('Two.')
  await isSeen!.promise
  isChosen!.resolve()
  await isOver!.promise
  isLate!.resolve()
  // What the other does now would be done before the answer is stored.
  await new Promise((resolve) => setTimeout(resolve, 50))
  isStored!.resolve()
  expect([chatText(await first.finalMessage), chatText(await second.finalMessage)]).toEqual(['First.', 'Second.'])
  expect((await one.getConversation()).messages.map(chatText)).toEqual(['One.', 'First.', 'Two.', 'Second.'])
})
