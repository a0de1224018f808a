import { expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { memoryJournal } from '../../journal/index.ts'
import { inMemoryDatabase } from '../../memory/index.ts'
import { scripted } from '../../model/index.ts'
import type { ScriptedStep } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { Atlas } from '../atlas/atlas.ts'
import { chatText } from '../message/chat-message.ts'
import { Conversations } from './conversations.ts'
import { databaseConversations } from './database-conversations.ts'

const refund = defineTool({ name: 'refund', risk: 'write', needsApproval: true, run: () => 'refunded' })
const SCRIPT: ScriptedStep[] = [
  { text: 'I refund it now.', toolCalls: [{ name: 'refund', input: {} }] },
  'Done.',
  'Next.',
]

function clerks(script: ScriptedStep[] = SCRIPT): {
  readonly service: AgentService
  readonly conversations: Conversations
} {
  const service = new AgentService({ agents: [{ id: 'clerk', model: scripted(script), tools: [refund] }] })
  return { service, conversations: new Conversations(service) }
}

async function refunding({ conversations }: ReturnType<typeof clerks>) {
  const { id } = await conversations.create({ agentId: 'clerk' })
  const stream = conversations.send(id, 'Refund it.')
  await stream.finalMessage
  return { id, stream, approvalId: stream.pending[0]!.approvalId! }
}

test('a turn that waits shows what it said so far', async () => {
  const scene = clerks()
  const { id } = await refunding(scene)
  const { messages, status, pending } = await scene.conversations.get(id)
  expect([status, pending.length, messages.map(chatText)]).toEqual([
    'suspended',
    1,
    ['Refund it.', '', 'I refund it now.'],
  ])
  expect(messages.at(-1)!.metadata).toEqual({ suspended: true, agentId: 'clerk' })
})

test('a conversation whose run went on without it shows what the run came to', async () => {
  const scene = clerks()
  const { conversations, service } = scene
  const { id, stream, approvalId } = await refunding(scene)
  await service.approve(approvalId)
  await service.resume(stream.streamId)
  const shown = await conversations.get(id)
  expect(shown).toMatchObject({ status: 'idle', pending: [] })
  expect(shown.streamId).toBeUndefined()
  expect(chatText(shown.messages.at(-1)!)).toBe('I refund it now.\nDone.')
  expect(await conversations.list()).toMatchObject([{ id, status: 'idle', pending: [] }])
  // Read or stored, it is the same.
  const { id: copy } = await conversations.fork(id)
  const plain = ({ messages }: typeof shown) => messages.map(({ createdAt: _at, ...message }) => message)
  expect(plain(await conversations.get(copy))).toEqual(plain(shown))
  expect(plain(await conversations.get(id))).toEqual(plain(shown))
  await conversations.send(id, 'And?').finalMessage
  expect((await conversations.get(id)).messages).toHaveLength(shown.messages.length + 2)
})

test('what an interceptor has not seen is not read by others', async () => {
  const database = databaseConversations(inMemoryDatabase())
  const journal = memoryJournal()
  const service = new AgentService({ journal, agents: [{ id: 'clerk', model: scripted(['secret']) }] })
  const looking = Promise.withResolvers<void>()
  const looked = Promise.withResolvers<null>()
  const incomingMessage = (): Promise<null> => {
    looking.resolve()
    return looked.promise
  }
  const atlas = new Atlas({
    service,
    conversations: database,
    conversationId: 'c',
    defaultAgentId: 'clerk',
    interceptors: { incomingMessage },
  })
  const asked = atlas.ask('Tell me.')
  await looking.promise
  const others = new Conversations(new AgentService({ journal }), { store: database })
  expect(await others.get('c')).toMatchObject({ status: 'running', messages: [{ role: 'user' }] })
  looked.resolve(null)
  await expect(asked).rejects.toMatchObject({ code: 'DENIED' })
  expect(JSON.stringify(await others.get('c'))).not.toContain('secret')
})
