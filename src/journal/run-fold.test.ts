import { expect, test } from 'vitest'
import { sampleRun, sampleStart, sealAll } from '../testing/index.ts'
import type { SampleDraft } from '../testing/index.ts'
import { RunFold, addSpend, foldRun, foldSummary, isEnded } from './index.ts'
import type { Entry, RunSummary } from './index.ts'

const request = { kind: 'tool', name: 't', input: {}, hash: 'h' }
const begin: SampleDraft = { type: 'run-start', data: sampleStart(), at: 10 }
const start = (key: string): SampleDraft => ({
  type: 'effect-start',
  key,
  data: {
    ...request,
    decision: { verdict: 'allow', rule: 'r', reason: '' },
    reserved: { toolCalls: 1 },
    repeatable: false,
  },
})
const end = (key: string, spent: object): SampleDraft => ({
  type: 'effect-end',
  key,
  data: { outcome: { status: 'ok', value: 1 }, spent, durationMs: 1 },
})

const entries = sealAll('run', [
  begin,
  start('a'),
  start('b'),
  { type: 'effect-retry', key: 'b', data: { attempt: 2, reason: 'again', waitMs: 5 } },
  end('b', { toolCalls: 1, money: 0.5 }),
  { type: 'note', key: 'turn:1/plan', data: { name: 'plan', value: ['x'] } },
  { type: 'message-append', key: 'm:1', data: { message: { role: 'user' } } },
  {
    type: 'approval-request',
    key: 'c',
    data: { ...request, reason: 'approval', asked: 'h', rule: 'r', text: '?', expiresAt: 99 },
  },
  { type: 'run-suspend', data: { reason: 'approval', pending: [{ key: 'c', reason: 'approval' }], activeMs: 7 } },
  { type: 'run-resume', data: { epoch: 2 } },
  {
    type: 'approval-response',
    key: 'c',
    data: {
      request: 8,
      answer: 'approve',
      by: { id: 'x', roles: [] },
      standing: { tool: 't', riskMax: 'write', expiresAt: 5 },
    },
  },
  end('a', { toolCalls: 1 }),
  { type: 'run-end', data: { state: 'completed', output: 'done', activeMs: 20, spent: { toolCalls: 2 } } },
])

test('the fold knows what happened, in the order in which it is owed', () => {
  const fold = foldRun(entries)
  expect(fold).toMatchObject({
    seq: 13,
    startedAt: 10,
    state: 'completed',
    activeMs: 20,
    spent: { toolCalls: 2, money: 0.5 },
  })
  expect(fold.deliveries.map(({ key, seq }) => `${seq} ${key}`)).toEqual(['5 b', '6 turn:1/plan', '12 a'])
  expect(fold.effects.get('b')).toMatchObject({ attempts: 1, start: { seq: 3 }, end: { seq: 5 } })
  expect([...fold.messages.keys()]).toEqual(['m:1'])
  expect(fold.standing).toHaveLength(1)
  expect(fold.pending()).toEqual([])
  expect([...fold.openStarts]).toEqual([])
})

test('an effect without an end is open, a question without an answer is pending', () => {
  const fold = foldRun(entries.slice(0, 9))
  expect([...fold.openStarts]).toEqual(['a'])
  expect(fold.pending().map(({ key }) => key)).toEqual(['c'])
  expect(fold).toMatchObject({ state: 'suspended', suspend: { reason: 'approval' }, activeMs: 7 })
  fold.apply(entries[9]!)
  expect(fold).toMatchObject({ state: 'running', suspend: undefined })
})

test('applying entries one by one gives the same state as all at once', () => {
  const step = new RunFold()
  for (const [index, entry] of entries.entries()) {
    step.apply(entry)
    expect(step).toEqual(foldRun(entries.slice(0, index + 1)))
  }
})

test('what was delivered can be forgotten without touching what was spent', () => {
  const fold = foldRun(entries)
  fold.forget('b')
  expect(fold.effects.has('b')).toBe(false)
  expect(fold.spent.toolCalls).toBe(2)
})

test('an erased run is refused, not misread', () => {
  const erased: Entry[] = entries.map((entry) => ({ ...entry, salt: null, data: null }))
  expect(() => foldRun(erased)).toThrow(expect.objectContaining({ code: 'JOURNAL_ERASED' }))
})

test('spends add up unit by unit', () => {
  expect(addSpend({ money: 1, steps: 2 }, { money: 0.5, depth: 1, steps: undefined })).toEqual({
    money: 1.5,
    steps: 2,
    depth: 1,
  })
})

test('the summary agrees with the fold at every entry', () => {
  let summary: RunSummary | undefined
  const fold = new RunFold()
  for (const entry of entries) {
    summary = foldSummary(summary, entry)
    fold.apply(entry)
    expect([summary.state, summary.head.seq, summary.suspendReason]).toEqual([
      fold.state,
      fold.seq,
      fold.suspend?.reason,
    ])
  }
  expect(isEnded(summary!.state)).toBe(true)
})

test('the summary of an erased run is still a line', () => {
  let summary: RunSummary | undefined
  for (const entry of sampleRun('run', { end: 'completed' }))
    summary = foldSummary(summary, { ...entry, salt: null, data: null })
  expect(summary).toMatchObject({ run: 'run', erased: true, name: 'erased' })
})
