import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assistantMessage,
  checkTranscript,
  estimateTokens,
  systemMessage,
  textOf,
  toolMessage,
  userMessage,
} from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'
import { Transcript } from './transcript.ts'
import { compactionStart, windowOf, withinWindow } from './history-window.ts'
import type { HistoryWindow } from './history-window.ts'

/** Exchanges of a conversation: something said, or calls with their results in one message or several. */
const exchange = fc.oneof(
  fc.string({ maxLength: 60 }).map((text): Message[] => [userMessage(text)]),
  fc.string({ maxLength: 60 }).map((text): Message[] => [assistantMessage(text)]),
  fc
    .record({ count: fc.integer({ min: 1, max: 4 }), apart: fc.boolean(), text: fc.string({ maxLength: 200 }) })
    .map(({ count, apart, text }): Message[] => {
      const ids = Array.from({ length: count }, (_, index) => `call_${index}`)
      const call = assistantMessage(ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, name: 't', input: {} })))
      const results = ids.map((toolCallId) => ({
        type: 'tool-result' as const,
        toolCallId,
        name: 't',
        status: 'ok' as const,
        value: text,
      }))
      return [call, ...(apart ? results.map((result) => toolMessage([result])) : [toolMessage(results)])]
    }),
)
const conversation = fc.array(exchange, { minLength: 1, maxLength: 30 }).map((exchanges) => exchanges.flat())
const limits = fc.record(
  { maxMessages: fc.integer({ min: 1, max: 20 }), maxTokens: fc.integer({ min: 1, max: 400 }) },
  { requiredKeys: [] },
)

/** A transcript whose question is the message at `asked`, which is the prompt of a run that has gone on since; without it nothing is asked. */
function transcriptOf(messages: readonly Message[], asked = -1): Transcript {
  const transcript = new Transcript()
  for (const [index, message] of messages.entries()) {
    transcript.push(message)
    if (index === asked) transcript.keepQuestion()
  }
  return transcript
}

/** A conversation, a question in it and what a run has done about it since. */
const asking = fc
  .record({ before: conversation, since: fc.array(exchange, { maxLength: 12 }).map((exchanges) => exchanges.flat()) })
  .map(({ before, since }) => {
    const question = userMessage('What is asked')
    return {
      question,
      messages: [...before, question, ...since],
      transcript: transcriptOf([...before, question, ...since], before.length),
    }
  })

/** Whether the messages keep the order rules of providers. */
function isOrdered(shown: readonly Message[]): boolean {
  return shown[0]?.role === 'user' && checkTranscript(shown).length === 0
}

function fits(shown: readonly Message[], { maxMessages, maxTokens }: HistoryWindow): boolean {
  return (
    (maxMessages === undefined || shown.length <= maxMessages) &&
    (maxTokens === undefined || estimateTokens(shown) <= maxTokens)
  )
}

describe('the history window', () => {
  it('begins with a message of the user, keeps the question that is being answered, and never splits a call from its results', () => {
    fc.assert(
      fc.property(asking, limits, ({ question, messages, transcript }, window) => {
        const shown = windowOf(transcript, window)
        expect(shown).toContain(question)
        expect(shown.at(-1)).toBe(messages.at(-1))
        expect(checkTranscript(shown)).toEqual([])
        const isLimited = window.maxMessages !== undefined || window.maxTokens !== undefined
        if (isLimited || messages[0]!.role === 'user') expect(isOrdered(shown)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps all of it after any number of summaries, with the last summary in front', () => {
    const summaries = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(asking, limits, summaries, ({ question, messages, transcript }, window, sizes) => {
        let summary: Message | undefined
        for (const [index, size] of sizes.entries()) {
          const from = compactionStart(transcript, size)
          if (from > 0) transcript.compact(from, (summary = userMessage(`Summary ${index}`)))
        }
        const shown = windowOf(transcript, window)
        expect(shown.filter((message) => message === question)).toHaveLength(1)
        expect(shown.at(-1)).toBe(messages.at(-1))
        expect(checkTranscript(shown)).toEqual([])
        if (summary !== undefined) expect(shown[0]).toBe(summary)
      }),
    )
  })

  it('keeps what a person added while the run was going', async () => {
    const mind = model(async (_, { position }) => {
      if (position === 0) await service.steer('steered', 'From the other account.')
      return position < 9 ? calls('look') : 'Done.'
    })
    const service = host({ model: mind, tools: [tool('look')], history: { maxMessages: 4 } })
    await service.run('main', 'Pay the bill.', { runId: 'steered' })
    expect(mind.requests.at(-1)!.messages.map(textOf)).toEqual(['Pay the bill.', 'From the other account.', '', ''])
  })

  it('shows as much as fits: one message more would pass a limit or break the order', () => {
    fc.assert(
      fc.property(asking, limits, ({ question, messages, transcript }, window) => {
        const shown = windowOf(transcript, window)
        const at = messages.indexOf(question)
        const start = messages.length - (shown.length - (messages.at(-shown.length) === shown[0] ? 0 : 1))
        for (let earlier = start - 1; earlier >= 0; earlier--) {
          const more = [...(at < earlier ? [question] : []), ...messages.slice(earlier)]
          expect(!fits(more, window) || !isOrdered(more)).toBe(true)
        }
      }),
    )
  })

  it('passes its limits only for the question and the last exchange', () => {
    fc.assert(
      fc.property(asking, limits, ({ question, transcript }, window) => {
        const shown = windowOf(transcript, window)
        const rest = shown.filter((message) => message !== question)
        const isLastExchange = rest.slice(1).every(({ role }) => role === 'tool')
        expect(fits(shown, window) || isLastExchange).toBe(true)
      }),
    )
  })

  it('is everything without limits', () => {
    const messages = [userMessage('a'), assistantMessage('b')]
    expect(windowOf(transcriptOf(messages, 0), {})).toEqual(messages)
    expect(windowOf(new Transcript(), { maxMessages: 3 })).toEqual([])
  })

  it('always shows system messages at the beginning, and does not count them', () => {
    const said = [
      systemMessage('Be brief.'),
      ...['a', 'b', 'c'].flatMap((text) => [userMessage(text), assistantMessage(text)]),
    ]
    const shown = withinWindow([...said, userMessage('d')], { maxMessages: 3 })
    expect(shown.map(textOf)).toEqual(['Be brief.', 'c', 'c', 'd'])
  })

  it('bounds what a model is sent, keeps the system prompt, and forgets nothing in the journal', async () => {
    const mind = model([...Array.from({ length: 6 }, () => calls('look')), 'Done.'])
    const service = host({ model: mind, tools: [tool('look')], instructions: 'Be brief.', history: { maxMessages: 3 } })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    for (const { messages } of mind.requests.slice(2)) {
      expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
      expect(textOf(messages[1]!)).toBe('Go.')
    }
    expect(await service.messages(result.id)).toHaveLength(14)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })

  it('shows the question in every request of a run, whatever the limits and however long the run is', async () => {
    const windows = fc.record(
      {
        maxMessages: fc.integer({ min: 1, max: 12 }),
        maxTokens: fc.integer({ min: 40, max: 600 }),
        compact: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    const rounds = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(windows, rounds, async (history, sizes) => {
        const turns = sizes.map((size) => calls(...Array.from({ length: size + 1 }, () => 'look')))
        let turn = 0
        const mind = model(({ messages }) => (isSummary(messages) ? 'Much was looked at.' : (turns[turn++] ?? 'Done.')))
        const service = host({ model: mind, tools: [tool('look', () => 'x'.repeat(90))], maxTurns: 30, history })
        const before = [userMessage('Hello.'), assistantMessage('Hello. '.repeat(30))]
        const result = await service.run('main', 'Find TASK-77.', { history: before })
        expect(result.status).toBe('completed')
        for (const { messages } of mind.requests) {
          if (!isSummary(messages)) expect(isOrdered(messages)).toBe(true)
          // The first summaries of a long history are made of what was said before the question.
          const isEarlier = isSummary(messages) && messages.length <= before.length + 2
          if (!isEarlier) expect(messages.map(textOf)).toContain('Find TASK-77.')
        }
        expect(await service.replay(result.id)).toMatchObject({ identical: true })
        await service.stop()
      }),
      { numRuns: 25 },
    )
  })
})

function isSummary(messages: readonly Message[]): boolean {
  return textOf(messages.at(-1)!) === 'Summarise now.'
}

describe('a transcript', () => {
  it('has a hash that follows from its messages alone', () => {
    const [a, b] = [userMessage('a'), assistantMessage('b')]
    expect(transcriptOf([a, b]).hash).toBe(transcriptOf([{ ...a }, { ...b }]).hash)
    expect(transcriptOf([a, b]).hash).not.toBe(transcriptOf([b, a]).hash)
    expect(transcriptOf([a]).hash).not.toBe(transcriptOf([a, b]).hash)
  })

  it('holds messages that nobody can change any more', () => {
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'a' }] }
    transcriptOf([message])
    expect(() => (message.content[0]!.text = 'b')).toThrow(TypeError)
  })
})
