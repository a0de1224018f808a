import { expect, test } from 'vitest'
import type { MandateEvent } from '../../journal/index.ts'
import { ANSWER_KEY } from './model-call-keys.ts'
import { UnsaidAnswer } from './unsaid-answer.ts'

const begun = { type: 'run-start', data: {} } as MandateEvent
const said = (text: string, key?: string): MandateEvent => ({ type: 'text-delta', key, data: { text } }) as MandateEvent

/** What listeners lack of the answer that have heard these events. */
function lacking(heard: readonly MandateEvent[], text: string, lastText = text): unknown[] {
  const unsaid = new UnsaidAnswer()
  for (const event of heard) unsaid.add(event)
  const end = { type: 'run-end', data: { output: { text, lastText } } } as unknown
  const events = unsaid.before(end as MandateEvent<'run-end'>)
  return events.map(({ type, data }) => (type === 'text-delta' ? data.text : type))
}

test('the rest of a streamed answer comes before the end of the run', () => {
  expect(lacking([begun], 'Snow is white.')).toEqual(['Snow is white.'])
  expect(lacking([begun, said('Snow ', ANSWER_KEY)], 'Snow is white.')).toEqual(['is white.'])
  expect(lacking([begun, said('Snow is white.', ANSWER_KEY)], 'Snow is white.')).toEqual([])
})

test('an answer that another process began differently is void, and comes as a whole', () => {
  expect(lacking([begun, said('Sleet', ANSWER_KEY)], 'Snow.')).toEqual(['stream-reset', 'Snow.'])
})

test('texts of a planner that were heard are not repeated, and one that is missing is said', () => {
  expect(lacking([begun, said('I look.')], 'I look.\nWhite.', 'White.')).toEqual(['White.'])
  expect(lacking([begun, said('I look.'), said('White.')], 'I look.\nWhite.', 'White.')).toEqual([])
})

test('a run that was resumed says its last text alone, because the others were said before', () => {
  expect(lacking([], 'I look.\nWhite.', 'White.')).toEqual(['White.'])
  expect(lacking([said('White.')], 'I look.\nWhite.', 'White.')).toEqual([])
})

test('an answer that a model call has spoken is complete with that call', () => {
  expect(lacking([begun, said('White.', 'turn:1/model')], 'I look.\nWhite.')).toEqual([])
})
