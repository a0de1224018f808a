import { expect, test } from 'vitest'
import { EventBus } from '../../core/index.ts'
import type { EventDataByType } from '../../journal/index.ts'
import { TextListener } from './text-listener.ts'

type Sent = readonly [offset: number, text: string, more?: object]

/** What listeners of a run hear of pieces that another process has sent. */
function heard(sent: readonly (Sent | 'end' | 'run-end' | 'followed')[], key?: string): string {
  const events = new EventBus<EventDataByType>()
  const listener = new TextListener(events)
  if (!sent.includes('followed')) listener.listenTo(new Set(['r1']))
  let said = ''
  events.on('text-delta', ({ data }) => (said += `${data.text}|`))
  events.on('stream-reset', () => (said = ''))
  const about = { run: 'r1', at: 0, session: 's1', agent: 'a', key: key ?? 'turn:1/model' }
  const end = (type: 'effect-end' | 'run-end'): void =>
    events.emit({ v: 1, type, at: 0, runId: 'r1', sessionId: 's1', agentId: 'a', key: about.key, data: {} as never })
  for (const one of sent)
    if (one === 'end') end('effect-end')
    else if (one === 'run-end') end('run-end')
    else if (one === 'followed') listener.listenTo(new Set(['r1']))
    else {
      const [offset, text, more] = one
      listener.hear(JSON.stringify({ ...about, type: 'text-delta', offset, data: { text }, ...more }))
    }
  return said
}

test('after a piece that was lost the rest of its text is not heard', () => {
  const beginning: readonly Sent[] = [
    [0, 'one '],
    [4, 'two '],
  ]
  expect(heard([...beginning, [8, 'three']])).toBe('one |two |three|')
  expect(heard([...beginning, [13, 'four'], [17, ' five']])).toBe('one |two |')
})

test('a text that begins again, because another process has taken over, replaces what was heard', () => {
  expect(
    heard([
      [0, 'one '],
      [9, 'lost'],
      [0, 'uno '],
      [4, 'due'],
    ]),
  ).toBe('uno |due|')
})

test('nothing of a text is heard after its call has ended', () => {
  expect(heard([[0, 'one '], 'end', [4, 'two'], [0, 'late']])).toBe('one |')
})

test('nor does it matter that the call or the run was followed only afterwards', () => {
  expect(heard(['end', 'followed', [0, 'late']])).toBe('')
  expect(heard(['run-end', 'followed', [0, 'late']], '#answer')).toBe('')
})

test('nothing of a text that belongs to no call is heard after the run has ended', () => {
  expect(heard([[0, 'one '], 'run-end', [4, 'two']], '#answer')).toBe('one |')
})

test('a complete text in several messages is heard in one piece, or not at all', () => {
  const of = { of: 7, key: undefined }
  expect(
    heard([
      [0, 'one ', of],
      [4, 'two', of],
    ]),
  ).toBe('one two|')
  expect(
    heard([
      [4, 'two', of],
      [0, 'one ', of],
    ]),
  ).toBe('')
})
