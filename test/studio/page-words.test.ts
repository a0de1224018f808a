import { expect, test } from 'vitest'
import { entriesOfType } from '../../src/journal/index.ts'
import { AgentService } from '../../src/agent/index.ts'
import { scripted } from '../../src/model/index.ts'
import { lightEntry } from '../../src/server/studio/light-entry.ts'
import { RunFold } from '../../src/journal/run-fold.ts'
import { TimelineRows } from '../../studio/src/journal/timeline-rows.ts'
import { foldable } from '../../studio/src/journal/run-store.ts'
import type { LightEntry, RunStore } from '../../studio/src/journal/run-store.ts'
import { matches } from '../../studio/src/pages/inbox/inbox-filter.ts'
import { entryParts } from '../../studio/src/pages/run/entry-parts.ts'
import { stateAt } from '../../studio/src/pages/run/state-at.ts'
import { foldingAt, linesOf } from '../../studio/src/pages/run/timeline-lines.ts'
import { stepped, ticksOf } from '../../studio/src/pages/run/time-window.ts'
import { runBeside, runGroups } from '../../studio/src/pages/runs/run-groups.ts'
import type { RunInfo, WaitingItem } from '../../studio/src/api/types.ts'
import { duration, money, moneyDigits, timeOf } from '../../studio/src/parts/format.ts'
import { pageTitle } from '../../studio/src/shell/page-title.ts'
import { oneLine } from '../../studio/src/parts/markdown/one-line.ts'

test('a text in markdown is one line of plain words where there is room for one', () => {
  expect(oneLine('## Which pot?\n\n| pot | price |\n|---|---|\n| **Betty** | $29 |\n\n1. Warm *it*.\n2. Wait.')).toBe(
    'Which pot? Warm it. Wait.',
  )
  expect(oneLine('| pot |\n|---|\n| Betty |')).toBe('pot Betty')
  expect(oneLine('see [the page](https://a.example)\nand `code`')).toBe('see the page and code')
})

test('a tab of the browser says which page it has, of what, and how much waits', () => {
  expect(pageTitle('/', '')).toBe('Runs · Mandate Studio')
  expect(pageTitle('/inbox', '6')).toBe('(6) Inbox · Mandate Studio')
  expect(pageTitle('/runs/a%20b', '')).toBe('a b · Run · Mandate Studio')
  expect(pageTitle('/agents/support', '')).toBe('support · Agents · Mandate Studio')
  expect(pageTitle('/runs/%E0%A4%A', '')).toBe('%E0%A4%A · Run · Mandate Studio')
  expect(pageTitle('/nowhere', '')).toBe('Mandate Studio')
})

test('money that is too little to be written is less than the least, and a column has one number of digits', () => {
  expect([0.000_03, 0.0059, 0.02, 0].map((amount) => money(amount))).toEqual(['<$0.0001', '~$0.0059', '~$0.02', '$0'])
  const column = [0.0059, 0.02, 0.000_03]
  expect(column.map((amount) => money(amount, moneyDigits(column)))).toEqual(['~$0.0059', '~$0.0200', '<$0.0001'])
  const dear = [120, 0.004]
  expect(dear.map((amount) => money(amount, moneyDigits(dear)))).toEqual(['~$120.00', '<$0.01'])
})

test('an entry says first what went in and what came out, and its hashes last', () => {
  const { main, facts } = entryParts({
    hash: 'f'.repeat(64),
    decision: { verdict: 'allow' },
    input: { order: 'A-17' },
    kind: 'tool',
    outcome: { status: 'failed', error: { message: 'gone' } },
  })
  expect(main).toEqual([
    ['Error', { message: 'gone' }],
    ['Input', { order: 'A-17' }],
  ])
  expect(facts).toEqual({ kind: 'tool' })
})

/** A run as the page has it, of entries that a test writes. */
function runOf(keys: readonly string[]): RunStore {
  const rows = new TimelineRows()
  keys.forEach((key, index) =>
    rows.apply(
      foldable(
        {
          seq: index + 1,
          at: index,
          type: 'effect-start',
          key,
          data: { kind: 'model', name: 'm', decision: { rule: 'gate', verdict: 'allow' } },
        } as unknown as LightEntry,
        'r',
      ),
    ),
  )
  return { runId: 'r', rows, state: 'running' } as unknown as RunStore
}

test('groups around one thing alone share its line, and a group of one effect stays a group', () => {
  const run = runOf(['node:a:1/run/model', 'node:b:2/run/model', 'node:b:2/run/tool:1', 'turn:1/model'])
  const lines = linesOf(run, { closed: new Set(), opened: new Set() })
  expect(lines.map(({ row, chain, depth }) => [row.key, chain.map(({ name }) => name), depth])).toEqual([
    ['node:a:1/run/model', ['node a:1', 'run'], 0],
    ['node:b:2', [], 0],
    ['node:b:2/run', [], 1],
    ['node:b:2/run/model', [], 2],
    ['node:b:2/run/tool:1', [], 2],
    ['turn:1', [], 0],
    ['turn:1/model', [], 1],
  ])
  expect(linesOf(run, foldingAt(run, 0)).map(({ row }) => row.key)).toEqual([
    'node:a:1/run/model',
    'node:b:2',
    'turn:1',
  ])
})

test('lines of a timeline stay the same while they stand where they stand', () => {
  const keys = ['turn:1/model', 'turn:1/tool:1', 'turn:2/model']
  const run = runOf(keys)
  const open = { closed: new Set<string>(), opened: new Set<string>() }
  const before = linesOf(run, open)
  expect(linesOf(run, open).every((line, index) => line === before[index])).toBe(true)
  const [first, ...others] = linesOf(run, { ...open, closed: new Set([before[0]!.id]) })
  expect(first).not.toBe(before[0])
  expect(first).toMatchObject({ id: before[0]!.id, isOpen: false })
  expect(others).toEqual(before.slice(3))
})

test('the axis of a run that goes on moves in steps, with room at its end', () => {
  const spans = Array.from({ length: 1_000 }, (_, index) => 10_000 + 10 * index)
  for (const span of spans) {
    expect(stepped(span)).toBeGreaterThan(span)
    expect(stepped(span)).toBeLessThanOrEqual(span * (1 + 1 / 8))
  }
  expect(new Set(spans.map(stepped)).size).toBeLessThanOrEqual(17)
})

test('no two marks of an axis say the same', () => {
  for (const to of [1, 2, 3, 4, 7, 30]) {
    const texts = ticksOf({ from: 0, to }).map(duration)
    expect(new Set(texts).size).toBe(texts.length)
  }
})

test('the state of a run as of any entry is the same whichever way somebody goes through it, and steps apply one entry', async () => {
  const service = new AgentService({ agents: [{ id: 'a', model: scripted([{ text: 'done' }]) }] })
  await service.run('a', 'Say it.', { runId: 'short' })
  const short: LightEntry[] = []
  for await (const entry of service.entries('short')) short.push(lightEntry(entry) as unknown as LightEntry)
  await service.stop()
  expect(entriesOfType(short as never, 'effect-end')).toHaveLength(1)
  // The same effect again and again makes a long run of it.
  const middle = Array.from({ length: 300 }, () => short.slice(1, 3)).flat()
  const entries = [short[0]!, ...middle, short.at(-1)!].map((entry, index) => ({ ...entry, seq: index + 1 }))
  const fresh = (seq: number): unknown => stateAt({ runId: 'short', entries: entries.slice(0, seq) }, seq)
  const run = { runId: 'short', entries }
  const jumps = [400, 399, 398, 1, 602, 601, 500, 0]
  expect(jumps.map((seq) => stateAt(run, seq))).toEqual(jumps.map(fresh))
  let applied = 0
  const { apply } = RunFold.prototype
  RunFold.prototype.apply = function (entry) {
    applied += 1
    return apply.call(this, entry)
  }
  try {
    stateAt(run, 300)
    applied = 0
    for (let seq = 301; seq <= 310; seq += 1) stateAt(run, seq)
    expect(applied).toBe(10)
    for (let seq = 309; seq >= 260; seq -= 1) stateAt(run, seq)
    expect(applied).toBe(10)
  } finally {
    RunFold.prototype.apply = apply
  }
})

test('a moment is written without what goes without saying', () => {
  const now = new Date(2026, 10, 17, 12).getTime()
  expect(timeOf(now - 3_600_000, now)).toMatch(/11:00:00/)
  expect(timeOf(new Date(2026, 0, 5).getTime(), now)).not.toContain('2026')
  expect(timeOf(new Date(2025, 0, 5).getTime(), now)).toContain('2025')
})

test('a filter of the inbox finds by words, by members and by age', () => {
  const now = 10 * 3_600_000
  const request = { name: 'refund', run: 'r-1', rule: 'rules/large', text: 'Look.', kind: 'tool', risk: 'write' }
  const waits = { ...request, at: now - 3_600_000 } as unknown as WaitingItem
  const found = (filter: string): boolean => matches(waits, filter, now)
  expect(['', 'LOOK refund', 'rule:large tool:ref', 'risk:write', 'older:1h', 'older:60m run:r-1'].map(found)).toEqual(
    Array.from({ length: 6 }, () => true),
  )
  expect(['look not', 'rule:small', 'tool:large', 'older:61m', 'older:1d'].map(found)).toEqual(
    Array.from({ length: 5 }, () => false),
  )
})

test('runs that belong to another one are folded under it, and one whose owner is not listed stands for itself', () => {
  const run = (id: string, more: Partial<RunInfo> = {}): RunInfo =>
    ({ id, kind: 'agent', sessionId: id, ...more }) as unknown as RunInfo
  const runs = [
    run('grandchild', { parent: 'child' }),
    run('child', { parent: 'top' }),
    run('top'),
    run('c2', { kind: 'cell', sessionId: 'book' }),
    run('c1', { kind: 'cell', sessionId: 'book' }),
    run('eval_1'),
    run('attempt', { sessionId: 'eval_1.task.1' }),
    run('orphan', { parent: 'elsewhere' }),
    run('itself', { parent: 'itself' }),
    run('chat', { sessionId: 'talk' }),
    run('chat-2', { sessionId: 'talk' }),
  ]
  expect(runGroups(runs).map(({ run: { id }, members }) => [id, ...members.map((member) => member.id)])).toEqual([
    ['top', 'grandchild', 'child'],
    ['c2', 'c1'],
    ['eval_1', 'attempt'],
    ['orphan'],
    ['itself'],
    ['chat'],
    ['chat-2'],
  ])
  const beside = (id: string, by: 1 | -1): string | undefined => runBeside(runs, id, by)?.id
  // What is folded away is passed over; who is in it goes from one to the next there.
  expect([beside('top', 1), beside('eval_1', -1), beside('chat-2', 1), beside('nobody', 1)]).toEqual([
    'c2',
    'c2',
    undefined,
    undefined,
  ])
  expect([beside('grandchild', 1), beside('grandchild', -1), beside('child', 1)]).toEqual(['child', 'top', undefined])
})
