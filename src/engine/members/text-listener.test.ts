import { expect, test } from 'vitest'
import { EventBus } from '../../core/index.ts'
import type { EventDataByType } from '../../journal/index.ts'
import { TextListener } from './text-listener.ts'

type Sent = readonly [offset: number, text: string, more?: object]

/** What listeners of a run hear of pieces that another process has sent. */
function heard(sent: readonly (Sent | 'end')[], key: string | undefined = 'turn:1/model'): string {
  const events = new EventBus<EventDataByType>()
  const listener = new TextListener(events)
  listener.listenTo(new Set(['r1']))
  let said = ''
  events.on('text-delta', ({ data }) => (said += `${data.text}|`))
  events.on('stream-reset', () => (said = ''))
  const about = { run: 'r1', at: 0, session: 's1', agent: 'a', key }
  for (const one of sent)
    if (one === 'end')
      events.emit({
        v: 1,
        type: 'effect-end',
        at: 0,
        runId: 'r1',
        sessionId: 's1',
        agentId: 'a',
        key,
        data: {} as never,
      })
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
