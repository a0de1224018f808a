import { expect, test } from 'vitest'
import { alignEntries, foldSame } from './align-entries.ts'

type Line = { readonly seq: number; readonly type: 'effect-end' | 'note'; readonly key: string; readonly data: unknown }

const line = (seq: number, key: string, value: unknown, type: Line['type'] = 'effect-end'): Line => ({
  seq,
  type,
  key,
  data: { value, durationMs: seq * 7 },
})
const told = (a: readonly Line[], b: readonly Line[]): readonly string[] =>
  alignEntries(a, b).map(({ kind, a: left, b: right }) => `${kind} ${left?.seq ?? '-'} ${right?.seq ?? '-'}`)

test('entries stand beside those of the same place, whatever time they took; what differs and what is alone is told in order', () => {
  const a = [line(1, 'one', 1), line(2, 'two', 2), line(3, 'gone', 3), line(4, 'four', 4)]
  const b = [line(1, 'one', 1), line(2, 'two', 20), line(3, 'new', 3), line(4, 'four', 4), line(5, 'five', 5)]
  expect(told(a, b)).toEqual(['same 1 1', 'changed 2 2', 'only-a 3 -', 'only-b - 3', 'same 4 4', 'only-b - 5'])
  expect(told(a, a)).toEqual(['same 1 1', 'same 2 2', 'same 3 3', 'same 4 4'])
  expect(told([], b)).toHaveLength(5)
})

test('of several entries at one place the first stands for the first', () => {
  expect(told([line(1, 'x', 1), line(2, 'x', 2)], [line(1, 'x', 1), line(2, 'x', 3)])).toEqual([
    'same 1 1',
    'changed 2 2',
  ])
  expect(told([line(1, 'x', 1)], [line(1, 'x', 1, 'note')])).toEqual(['only-a 1 -', 'only-b - 1'])
})

test('long stretches of the same are folded, short ones and differences stay', () => {
  const run = (fifth: number): Line[] =>
    [1, 1, 1, 1, fifth, 1].map((value, index) => line(index + 1, `${index}`, value))
  expect(foldSame(alignEntries(run(1), run(2))).map(({ index, more }) => [index, more])).toEqual([
    [0, 3],
    [4, 0],
    [5, 0],
  ])
})
