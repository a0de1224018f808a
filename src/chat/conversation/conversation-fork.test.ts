import { expect, it } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import { scripted, textOf } from '../../model/index.ts'
import { chatText } from '../message/chat-message.ts'
import { Conversations } from './conversations.ts'

const said = scripted(({ messages }) => messages.flatMap((one) => (one.role === 'user' ? [textOf(one)] : [])).join(' '))

async function spoken(...texts: readonly string[]): Promise<Conversations> {
  const conversations = new Conversations(new AgentService({ agents: [{ id: 'echo', model: said }] }))
  await conversations.create({ id: 'first', agentId: 'echo', metadata: { topic: 'echoes' } })
  for (const text of texts) await conversations.send('first', text).finalMessage
  return conversations
}

const answerTo = async (conversations: Conversations, id: string, text: string): Promise<string> =>
  chatText(await conversations.send(id, text).finalMessage)

it('a fork has the turns of the other, and both go on by themselves', async () => {
  const conversations = await spoken('a', 'b')
  const fork = await conversations.fork('first', { id: 'second' })
  expect(fork).toMatchObject({ id: 'second', agentId: 'echo', metadata: { topic: 'echoes', forkedFrom: 'first' } })
  expect(fork.messages).toEqual((await conversations.get('first')).messages)
  expect(await answerTo(conversations, 'second', 'c')).toBe('a b c')
  expect(await answerTo(conversations, 'first', 'd')).toBe('a b d')
})

it('a fork has the first turns, or all but the last ones, with what was added between them', async () => {
  const conversations = await spoken('a', 'b')
  await conversations.append('first', 'x')
  await conversations.send('first', 'c').finalMessage
  expect(await answerTo(conversations, (await conversations.fork('first', { turns: 1 })).id, 'd')).toBe('a d')
  expect(await answerTo(conversations, (await conversations.fork('first', { turns: -1 })).id, 'd')).toBe('a b d')
  expect((await conversations.fork('first', { turns: -3 })).messages).toEqual([])
  for (const turns of [4, -4, 0.5]) await expect(conversations.fork('first', { turns })).rejects.toThrow(/turns/)
})

it('a turn that is not over is the last one: it counts, and is not copied', async () => {
  const conversations = await spoken('a')
  const hanging = new AgentService({ agents: [{ id: 'echo', model: scripted([{ text: 'Well', hang: true }]) }] })
  const others = new Conversations(hanging)
  await others.create({ id: 'open', agentId: 'echo' })
  const stream = others.send('open', 'hang')
  await stream.started
  expect((await others.get('open')).runs).toEqual([stream.streamId])
  expect((await others.fork('open', { turns: -1 })).messages).toEqual([])
  await expect(others.fork('open', { turns: -2 })).rejects.toThrow('has 1 turn, the last of which is not over')
  await expect(others.fork('open', { turns: 1 })).rejects.toThrow('Give a number from -1 to 0')
  await stream.cancel()
  expect((await conversations.fork('first', { id: 'copy' })).runs).toEqual((await conversations.get('first')).runs)
})

it('a conversation keeps the agent that it was given later, and so does its fork', async () => {
  const conversations = await spoken('a')
  await expect(conversations.setAgent('first', 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(conversations.as({ id: 'eve', roles: [] }).setAgent('first', 'echo')).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  await conversations.create({ id: 'empty' })
  await conversations.setAgent('empty', 'echo')
  expect((await conversations.fork('empty')).agentId).toBe('echo')
})

it('a fork is made of one’s own conversations alone, and under an id that is free', async () => {
  const conversations = await spoken('a')
  await conversations.create({ id: 'taken' })
  await expect(conversations.fork('first', { id: 'taken' })).rejects.toMatchObject({ code: 'DUPLICATE' })
  expect((await conversations.get('taken')).messages).toEqual([])
  const other = conversations.as({ id: 'eve', roles: ['owner'] })
  await expect(other.fork('first')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a model sees the large files of the turns that a fork has', async () => {
  const seen: string[][] = []
  const model = scripted(({ messages }) => {
    seen.push(
      messages.flatMap(({ content }) => content.map((part) => (part.type === 'image' ? part.data! : part.type))),
    )
    return 'Seen.'
  })
  const conversations = new Conversations(new AgentService({ agents: [{ id: 'eye', model }] }))
  const data = 'QUJD'.repeat(1_400_000)
  await conversations.create({ id: 'first', agentId: 'eye' })
  await conversations.send('first', { content: [{ type: 'image', mediaType: 'image/png', data }] }).finalMessage
  const { id } = await conversations.fork('first')
  await conversations.send(id, 'What was it?').finalMessage
  expect(seen[1]![0] === data).toBe(true)
})
