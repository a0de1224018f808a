import { expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { inMemoryDatabase } from '../../memory/index.ts'
import type { DatabaseClient } from '../../memory/index.ts'
import { scripted, textOf } from '../../model/index.ts'
import { chatText } from '../message/chat-message.ts'
import { Conversations } from './conversations.ts'
import { databaseConversations } from './database-conversations.ts'

/** The conversations of a process, over a database that it shares with others. */
function processOver(database: DatabaseClient): Conversations {
  const model = scripted(({ messages }) => messages.map(textOf).join(' '))
  const service = new AgentService({ agents: [{ id: 'echo', model }] })
  return new Conversations(service, { store: databaseConversations(database) })
}

async function spoken(conversations: Conversations, text: string): Promise<string> {
  return chatText(await conversations.send('c1', text).finalMessage)
}

it('a conversation has nothing of one that had its id and was deleted in another process', async () => {
  const database = inMemoryDatabase()
  const [first, second] = [processOver(database), processOver(database)]
  await first.create({ id: 'c1', agentId: 'echo' })
  await spoken(first, 'secret')
  expect((await second.get('c1')).messages).toHaveLength(2)
  await first.delete('c1')
  await first.create({ id: 'c1', agentId: 'echo' })
  await spoken(first, 'hello')
  expect((await second.get('c1')).messages.map(chatText)).toEqual(['hello', 'hello'])
  expect(await spoken(second, 'again')).toBe('hello hello again')
})

it('a conversation whose deletion was interrupted can be deleted again, and leaves nothing', async () => {
  const database = inMemoryDatabase()
  const conversations = processOver(database)
  await conversations.create({ id: 'c1', agentId: 'echo' })
  for (const text of ['a', 'b']) await conversations.send('c1', text).finalMessage
  let deletions = 0
  const crashing: DatabaseClient = {
    read: (...given) => database.read(...given),
    write: (...given) => database.write(...given),
    writeIf: (...given) => database.writeIf(...given),
    query: (...given) => database.query(...given),
    async delete(...given) {
      if (++deletions === 2) throw new Error('crashed')
      return database.delete(...given)
    },
  }
  await expect(processOver(crashing).delete('c1')).rejects.toThrow('crashed')
  await conversations.delete('c1')
  await expect(conversations.get('c1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await database.query('mandate.conversation-blocks', {})).toEqual([])
})
