import { onTestFinished, expect, test } from 'vitest'
import { EventBus } from '../../core/index.ts'
import type { EventDataByType } from '../../journal/index.ts'
import { TextSpeaker } from './text-speaker.ts'

interface Bench {
  /** What was sent, in one line for each batch. */
  readonly sent: string[]
  say(type: keyof EventDataByType, data?: object, key?: string): void
}

function bench(drives = true): Bench {
  const events = new EventBus<EventDataByType>()
  const sent: string[] = []
  const speaker = new TextSpeaker({ events, drives: () => drives }, async (messages) => {
    const read = messages.map((message) => JSON.parse(message) as { type: string; offset: number; data: object })
    sent.push(read.map(({ type, offset, data }) => `${type} ${offset} ${JSON.stringify(data)}`).join(', '))
  })
  onTestFinished(() => speaker.stop())
  speaker.want('r1', Number.POSITIVE_INFINITY)
  const say: Bench['say'] = (type, data = {}, key = 'turn:1/model') =>
    events.emit({ v: 1, type, at: 0, runId: 'r1', sessionId: 's1', agentId: 'a', key, data } as never)
  return { sent, say }
}

test('what is pending is sent before the end of its call', () => {
  const { sent, say } = bench()
  say('effect-start')
  say('text-delta', { text: 'one ' })
  say('text-delta', { text: 'two' })
  expect(sent).toEqual([])
  say('effect-end')
  expect(sent).toEqual(['text-delta 0 {"text":"one two"}'])
})

test('a call that was in progress when its text was wanted is skipped, and heard from the beginning of its next attempt', () => {
  const { sent, say } = bench()
  say('text-delta', { text: 'one ' })
  say('stream-reset', { attempt: 2, reason: 'cut' })
  say('text-delta', { text: 'uno' })
  say('effect-end')
  expect(sent).toEqual(['stream-reset 0 {"attempt":2,"reason":"cut"}, text-delta 0 {"text":"uno"}'])
})

test('the answer of a runner belongs to no call, and is sent where the run was heard from its start', () => {
  const { sent, say } = bench()
  say('text-delta', { text: 'lost ' }, '#answer')
  say('run-start')
  say('text-delta', { text: 'one' }, '#answer')
  say('run-end')
  expect(sent).toEqual(['text-delta 0 {"text":"one"}'])
})

test('what another process has said is not said again', () => {
  const { sent, say } = bench(false)
  say('effect-start')
  say('text-delta', { text: 'one' })
  say('stream-reset', { attempt: 2, reason: 'cut' })
  say('effect-end')
  expect(sent).toEqual([])
})
