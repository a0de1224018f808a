import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assistantMessage, checkTranscript, estimateTokens, toolMessage, userMessage } from '../../model/index.ts'
import type { Message } from '../../model/index.ts'
import { calls, host, model, tool } from '../agent.fixture.ts'
import { Transcript } from './transcript.ts'
import { windowStart } from './history-window.ts'

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

function transcriptOf(messages: readonly Message[]): Transcript {
  const transcript = new Transcript()
  for (const message of messages) transcript.push(message)
  return transcript
}

describe('the history window', () => {
  it('never splits a call from its result, whatever the limits', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, window) => {
        const shown = messages.slice(windowStart(transcriptOf(messages), window))
        expect(checkTranscript(shown)).toEqual([])
        expect(shown.length).toBeGreaterThan(0)
      }),
    )
  })

  it('shows as much as fits: one message more would pass a limit or split something', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, window) => {
        const start = windowStart(transcriptOf(messages), window)
        for (let earlier = start - 1; earlier >= 0; earlier--) {
          const more = messages.slice(earlier)
          const isTooLong = window.maxMessages !== undefined && more.length > window.maxMessages
          const isTooLarge = window.maxTokens !== undefined && estimateTokens(more) > window.maxTokens
          expect(isTooLong || isTooLarge || checkTranscript(more).length > 0).toBe(true)
        }
      }),
    )
  })

  it('passes its limits only to keep the last exchange whole', () => {
    fc.assert(
      fc.property(conversation, limits, (messages, window) => {
        const start = windowStart(transcriptOf(messages), window)
        const shown = messages.slice(start)
        const fits =
          (window.maxMessages === undefined || shown.length <= window.maxMessages) &&
          (window.maxTokens === undefined || estimateTokens(shown) <= window.maxTokens)
        const isLastExchange = shown.slice(1).every(({ role }) => role === 'tool')
        expect(fits || isLastExchange).toBe(true)
      }),
    )
  })

  it('is everything without limits', () => {
    expect(windowStart(transcriptOf([userMessage('a'), assistantMessage('b')]), {})).toBe(0)
    expect(windowStart(new Transcript(), { maxMessages: 3 })).toBe(0)
  })

  it('bounds what a model is sent, keeps the system prompt, and forgets nothing in the journal', async () => {
    const mind = model([...Array.from({ length: 6 }, () => calls('look')), 'Done.'])
    const service = host({ model: mind, tools: [tool('look')], instructions: 'Be brief.', history: { maxMessages: 3 } })
    const result = await service.run('main', 'Go.')
    expect(result.status).toBe('completed')
    for (const { messages } of mind.requests.slice(2)) {
      expect(messages.map(({ role }) => role)).toEqual(['system', 'assistant', 'tool'])
    }
    expect(await service.messages(result.id)).toHaveLength(14)
    expect(await service.replay(result.id)).toMatchObject({ identical: true })
  })
})

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
