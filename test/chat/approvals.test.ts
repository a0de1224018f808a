import { describe, expect, test } from 'vitest'
import { AgentService } from 'mandate'
import { Atlas, agent, chatText, databaseConversations, tool } from 'mandate/chat'
import type { AtlasOptions, ChatAgent } from 'mandate/chat'
import { memoryJournal } from 'mandate/journal'
import { inMemoryDatabase } from 'mandate/memory'
import { call, done, testProvider, text } from './provider.fixture.ts'
import type { Answer } from './provider.fixture.ts'

const paid: string[] = []
const pay = tool<{ to: string }>(
  {
    name: 'pay',
    parameters: { type: 'object', properties: { to: { type: 'string' } } },
    risk: 'write',
    needsApproval: true,
  },
  ({ to }) => {
    paid.push(to)
    return `paid ${to}`
  },
)

const answers: readonly Answer[] = [
  [...text('One moment.'), call('pay', { to: 'ana' }, 'k1'), done],
  [...text('It is ', 'paid.'), done],
  [...text('Next.'), done],
]

function atlasOver(given: readonly Answer[], options: AtlasOptions = {}) {
  paid.length = 0
  const provider = testProvider(given)
  const clerk: ChatAgent = agent({ id: 'clerk', provider: 'test', model: 'm', tools: [pay] })
  const atlas = new Atlas({ providers: [provider], agents: [clerk], ...options })
  const events: [string, unknown][] = []
  for (const name of [
    'message:sent',
    'stream:start',
    'stream:chunk',
    'tool:called',
    'tool:result',
    'stream:end',
    'message:received',
  ])
    atlas.on(name, (payload) => void events.push([name, payload]))
  return { atlas, provider, events, names: () => events.map(([name]) => name) }
}

/** A turn that waits for its approval. */
async function suspended(options: AtlasOptions = {}) {
  const made = atlasOver(answers, options)
  const stream = made.atlas.send('Pay Ana.')
  const message = await stream.finalMessage
  return { ...made, stream, message, approvalId: stream.pending[0]!.approvalId! }
}

describe('a turn that waits for an approval', () => {
  test('ends its stream as suspended, with what it waits for and what it said', async () => {
    const { atlas, stream, message, events, names } = await suspended()
    expect(stream.status).toBe('suspended')
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'One moment.' }], metadata: { suspended: true } })
    expect(stream.pending).toMatchObject([{ reason: 'approval', name: 'pay', input: { to: 'ana' } }])
    expect(names()).toEqual(['message:sent', 'stream:start', 'stream:chunk', 'tool:called', 'stream:end'])
    expect(events.at(-1)![1]).toMatchObject({ streamId: stream.streamId, suspended: true, pending: [{ name: 'pay' }] })
    expect(paid).toEqual([])
    const conversation = await atlas.getConversation()
    expect(conversation).toMatchObject({ status: 'suspended', streamId: stream.streamId, pending: [{ name: 'pay' }] })
    expect(conversation.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant'])
    expect(conversation.messages.at(-1)).toMatchObject({ ...message, createdAt: expect.any(Number) })
  })

  test('goes on under the same id once it is approved', async () => {
    const { atlas, stream, approvalId, events } = await suspended()
    await atlas.service.approve(approvalId)
    const rest = await atlas.continue()
    expect(rest.streamId).toBe(stream.streamId)
    let more = ''
    for await (const piece of rest) more += piece
    const final = await rest.finalMessage
    expect(chatText(final)).toBe('One moment.\nIt is paid.')
    expect(more).toBe('\nIt is paid.')
    expect(paid).toEqual(['ana'])
    expect(events.slice(5).map(([name]) => name)).toEqual([
      ...['stream:start', 'tool:result', 'stream:chunk', 'stream:chunk', 'stream:end', 'message:received'],
    ])
    expect(events[5]![1]).toEqual({ streamId: stream.streamId, resumed: true })
    const { status, messages } = await atlas.getConversation()
    expect([status, messages.length]).toEqual(['idle', 4])
    expect(messages.at(-1)).toEqual(final)
    expect(chatText(await atlas.ask('Thanks.'))).toBe('Next.')
  })

  test('goes on after a rejection: the model is told', async () => {
    const { atlas, provider, approvalId } = await suspended()
    await atlas.service.reject(approvalId, 'too much')
    await (
      await atlas.continue()
    ).finalMessage
    expect(paid).toEqual([])
    expect(provider.asked[1]!.messages.at(-1)!.content).toContain('too much')
  })

  test('takes no message before, and says what it waits for', async () => {
    const { atlas, approvalId } = await suspended()
    await expect(atlas.ask('Hello?')).rejects.toMatchObject({
      code: 'RUN_STATE',
      message: expect.stringContaining(approvalId),
    })
    expect((await atlas.getConversation()).messages).toHaveLength(3)
    await expect((await atlas.continue()).finalMessage).resolves.toMatchObject({ metadata: { suspended: true } })
  })

  test('a message after the approval brings it to its end first', async () => {
    const { atlas, approvalId, provider } = await suspended()
    await atlas.service.approve(approvalId)
    expect(chatText(await atlas.ask('Thanks.'))).toBe('Next.')
    expect(provider.asked[2]!.messages.map(({ content }) => content)).toEqual([
      ...['Pay Ana.', 'One moment.', 'paid ana', 'It is paid.', 'Thanks.'],
    ])
    expect(paid).toEqual(['ana'])
  })

  test('can be cancelled', async () => {
    const { atlas } = await suspended()
    await atlas.cancel()
    const { status, messages } = await atlas.getConversation()
    expect(status).toBe('idle')
    expect(messages.at(-2)).toMatchObject({ role: 'tool', metadata: { status: 'cancelled' } })
    expect(messages.at(-1)).toMatchObject({ content: [{ text: 'One moment.' }], metadata: { cancelled: true } })
    await expect(atlas.continue()).rejects.toMatchObject({ code: 'RUN_STATE' })
  })

  test('ask gives what was said so far, marked', async () => {
    const { atlas } = atlasOver(answers)
    expect(await atlas.ask('Pay Ana.')).toMatchObject({
      content: [{ text: 'One moment.' }],
      metadata: { suspended: true },
    })
  })

  test('goes on in another process, which tells what this one did not hear', async () => {
    const [journal, database] = [memoryJournal(), inMemoryDatabase()]
    const over = (): AtlasOptions => ({
      service: new AgentService({ journal }),
      conversations: databaseConversations(database),
      conversationId: 'c1',
    })
    const first = await suspended(over())
    await first.atlas.service.stop()
    const second = atlasOver(answers.slice(1), over())
    await second.atlas.service.approve(first.approvalId)
    await until(async () => (await journal.summary(first.stream.streamId))?.state === 'completed')
    const rest = await second.atlas.continue()
    expect(chatText(await rest.finalMessage)).toBe('One moment.\nIt is paid.')
    expect(rest.streamId).toBe(first.stream.streamId)
    expect(second.names()).toEqual([
      'stream:start',
      'tool:called',
      'tool:result',
      'stream:chunk',
      'stream:end',
      'message:received',
    ])
    expect(second.events[3]![1]).toMatchObject({ chunk: { text: '\nIt is paid.' } })
  })
})

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise<void>((resolve) => setTimeout(resolve, 2))
}
