import { expect, test } from 'vitest'
import { EventBus } from '../core/index.ts'
import type { BusEvent } from '../core/index.ts'
import type { RunEventBus } from '../journal/index.ts'
import { memoryJournal } from '../journal/index.ts'
import { captureEvents, expectEntries, sampleRun } from './index.ts'

const event = (type: string, data: unknown = {}, key?: string): BusEvent => ({
  v: 1,
  type,
  at: 0,
  runId: 'r',
  sessionId: 's',
  agentId: 'a',
  key,
  data,
})

function messageOf(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return (error as Error).message
  }
  return 'it passed'
}

function seen(...events: readonly BusEvent[]): ReturnType<typeof captureEvents> {
  const bus: RunEventBus = new EventBus()
  const capture = captureEvents(bus)
  for (const one of events) bus.emit(one)
  return capture
}

const story = seen(
  event('run-start', { name: 'main' }),
  event('effect-start', { kind: 'tool', name: 'search', input: { q: 'tea' } }, 'tool:1'),
  event('effect-end', { outcome: { status: 'ok' } }, 'tool:1'),
  event('run-end', { state: 'completed' }),
)

test('a sequence may have others in between, and is met by type, by key, by data, by expression and by function', () => {
  story.expectSequence(['run-start', 'run-end'])
  story.expectSequence(['effect-start tool:1', { type: 'effect-end', key: /^tool:/ }])
  story.expectSequence([
    { type: 'effect-start', data: { name: /sea/, input: { q: 'tea' } } },
    ({ type }) => type === 'run-end',
  ])
  story.expectSequence([])
  expect(story.types()).toEqual(['run-start', 'effect-start', 'effect-end', 'run-end'])
  expect(story.of({ type: 'effect-start', data: { kind: 'model' } })).toEqual([])
  expect(story.of('effect-end')).toHaveLength(1)
})

test('what did not come is named, with what came instead', () => {
  expect(messageOf(() => story.expectSequence(['run-start', 'effect-end', 'approval-request']))).toMatchInlineSnapshot(`
    "The sequence of events: number 3 of 3 did not come: approval-request.
    It was looked for after effect-end tool:1 (number 3). What came instead: run-end."
  `)
  expect(messageOf(() => story.expectSequence(['run-end', 'run-start']))).toMatchInlineSnapshot(`
    "The sequence of events: number 2 of 2 did not come: run-start.
    It was looked for after run-end (number 4). What came instead: nothing more.
    It did come earlier, as number 1: the order differs."
  `)
  expect(messageOf(() => story.expectSequence([{ type: 'effect-start', data: { name: /x/ } }]))).toContain(
    'did not come: {"type":"effect-start","data":{"name":"/x/"}}.\nIt was looked for from the beginning. What came instead: run-start (main), effect-start tool:1 (search)',
  )
  const many = seen(...Array.from({ length: 500 }, () => event('note')))
  expect(messageOf(() => many.expectSequence(['run-end']))).toMatch(/note, and 488 more\.$/)
})

test('an exact sequence allows nothing else', () => {
  story.expectSequence(['run-start', 'effect-start', 'effect-end', 'run-end'], { exact: true })
  expect(messageOf(() => story.expectSequence(['run-start', 'effect-end'], { exact: true }))).toContain(
    'number 2 of 2 did not come',
  )
  expect(messageOf(() => story.expectSequence(['run-start'], { exact: true }))).toContain(
    '3 more came: effect-start tool:1 (search)',
  )
})

test('a capture can wait, forget, follow one run and stop', async () => {
  const bus: RunEventBus = new EventBus()
  const all = captureEvents({ events: bus })
  const one = captureEvents(bus, { runId: 'r2' })
  const coming = all.next('run-end')
  bus.emit(event('run-start'))
  bus.emit({ ...event('run-end'), runId: 'r2' })
  expect(await coming).toMatchObject({ type: 'run-end', runId: 'r2' })
  expect(await all.next('run-start')).toMatchObject({ runId: 'r' })
  expect(one.types()).toEqual(['run-end'])
  all.clear()
  one.stop()
  bus.emit({ ...event('note'), runId: 'r2' })
  expect([all.types(), one.types()]).toEqual([['note'], ['run-end']])
})

test('journals are held to a sequence in the same way', async () => {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'run', owner: 'me', ttlMs: 1_000, now: 0 })
  await journal.append(lease, 0, sampleRun('run', { notes: 2, end: 'completed' }))
  const entries = expectEntries(journal, 'run')
  await entries.toFollow(['run-start', { type: 'note', data: { value: 2 } }, 'run-end'])
  await entries.toBeExactly([
    'run-start',
    'note note:1',
    'note note:2',
    { type: 'run-end', data: { state: 'completed' } },
  ])
  await entries.toHaveNo({ type: 'run-end', data: { state: 'failed' } })
  await expect(entries.toFollow(['run-end', 'note'])).rejects.toThrow(
    'The journal of run "run": number 2 of 2 did not come: note.',
  )
  await expect(entries.toBeExactly(['run-start'])).rejects.toThrow('3 more came: note note:1 (sample)')
  await expect(entries.toHaveNo('note note:2')).rejects.toThrow('must not be there: number 3, note note:2 (sample)')
})
