import { expect, test } from 'vitest'
import { type Message, assistantMessage, toolMessage, userMessage } from './message.ts'
import { checkTranscript } from './transcript.ts'

const call = (toolCallId: string): Message =>
  assistantMessage([{ type: 'tool-call', toolCallId, name: 't', input: {} }])
const result = (toolCallId: string): Message =>
  toolMessage([{ type: 'tool-result', toolCallId, name: 't', status: 'ok', value: null }])
const kinds = (messages: Message[]): string[] => checkTranscript(messages).map((one) => one.kind)

test('a call with one result passes, also when the same id returns in a later turn', () => {
  expect(kinds([userMessage('q'), call('a'), result('a'), call('a'), result('a'), assistantMessage('done')])).toEqual(
    [],
  )
})

test('results may come in several tool messages', () => {
  const two = assistantMessage([
    { type: 'tool-call', toolCallId: 'a', name: 't', input: {} },
    { type: 'tool-call', toolCallId: 'b', name: 't', input: {} },
  ])
  expect(kinds([two, result('b'), result('a'), userMessage('next')])).toEqual([])
})

test('a call without a result before the next message is named, and so is one at the end', () => {
  const [problem] = checkTranscript([call('a'), userMessage('next')])
  expect(problem).toMatchObject({ kind: 'unanswered', index: 0, toolCallId: 'a' })
  expect(problem!.message).toContain('the call of t has no result')
  expect(kinds([userMessage('q'), call('a')])).toEqual(['unanswered'])
})

test('a second result, a result without a call and a late result are problems', () => {
  expect(kinds([call('a'), result('a'), result('a')])).toEqual(['repeated'])
  expect(kinds([userMessage('q'), result('x')])).toEqual(['unmatched'])
  expect(kinds([call('a'), userMessage('q'), result('a')])).toEqual(['unanswered', 'unmatched'])
})

test('two calls of one reply with one id are a problem', () => {
  const twice = assistantMessage([
    { type: 'tool-call', toolCallId: 'a', name: 't', input: {} },
    { type: 'tool-call', toolCallId: 'a', name: 'u', input: {} },
  ])
  expect(kinds([twice, result('a')])).toContain('repeated')
})

test('calls and results in the wrong kind of message are problems; what a provider performed itself is not', () => {
  expect(kinds([userMessage([{ type: 'tool-call', toolCallId: 'a', name: 't', input: {} }])])).toEqual(['misplaced'])
  expect(kinds([userMessage([{ type: 'tool-result', toolCallId: 'a', name: 't', status: 'ok', value: 1 }])])).toEqual([
    'misplaced',
  ])
  const own = assistantMessage([
    { type: 'tool-call', toolCallId: 'a', name: 'search', input: {}, providerExecuted: true },
    { type: 'tool-result', toolCallId: 'a', name: 'search', status: 'ok', value: 1, providerExecuted: true },
    { type: 'text', text: 'found' },
  ])
  expect(kinds([own, userMessage('thanks')])).toEqual([])
})
