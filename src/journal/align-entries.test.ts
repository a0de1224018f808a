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

test('entries of the same place are paired, whatever their times; differing and unpaired ones are listed in order', () => {
  const a = [line(1, 'one', 1), line(2, 'two', 2), line(3, 'gone', 3), line(4, 'four', 4)]
  const b = [line(1, 'one', 1), line(2, 'two', 20), line(3, 'new', 3), line(4, 'four', 4), line(5, 'five', 5)]
  expect(told(a, b)).toEqual(['same 1 1', 'changed 2 2', 'only-a 3 -', 'only-b - 3', 'same 4 4', 'only-b - 5'])
  expect(told(a, a)).toEqual(['same 1 1', 'same 2 2', 'same 3 3', 'same 4 4'])
  expect(told([], b)).toHaveLength(5)
})

test('a generated seed is ignored, a given one is compared; members of a payload are compared whatever their names', () => {
  const start = (data: object): Line[] => [{ seq: 1, type: 'note', key: '', data }]
  const drawn = [start({ seed: '0011223344556677', input: 'Go.' }), start({ seed: 'ffeeddccbbaa9988', input: 'Go.' })]
  expect(told(drawn[0]!, drawn[1]!)).toEqual(['same 1 1'])
  expect(told(start({ seed: '7' }), start({ seed: '8' }))).toEqual(['changed 1 1'])
  expect(told(start({ input: { at: 1 } }), start({ input: { at: 2 } }))).toEqual(['changed 1 1'])
  expect(told(start({ pending: [{ wakeAt: 1 }] }), start({ pending: [{ wakeAt: 2 }] }))).toEqual(['same 1 1'])
})

test('of several entries at one place the first is paired with the first', () => {
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
