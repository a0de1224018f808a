import { expect, test } from 'vitest'
import { memoryJournal } from '../memory/memory-journal.ts'
import { checkRunFilter } from './run-filter.ts'
import type { RunFilter } from '../journal.ts'

const WRONG: readonly (readonly [filter: object, named: string])[] = [
  [{ after: 'r1' }, '`after`'],
  [{ after: { at: 1 } }, '`after`'],
  [{ after: { at: '1', run: 'r' } }, '`after`'],
  [{ state: 'complete' }, '"completed"'],
  [{ state: ['completed', 7] }, '`state`'],
  [{ order: 'oldest' }, '`order`'],
  [{ sessionId: 7 }, '`sessionId`'],
  [{ name: {} }, '`name`'],
  [{ runPrefix: 7 }, '`runPrefix`'],
  [{ parent: false }, '`parent`'],
  [{ updatedBefore: '2026-01-01' }, '`updatedBefore`'],
  [{ wakeBefore: Number.NaN }, '`wakeBefore`'],
  [{ waiting: false }, '`waiting`'],
  [{ limit: '5' }, '`limit`'],
  [{ limit: -1 }, '`limit`'],
  [{ stat: 'failed' }, '`state`'],
]

test.each(WRONG)('a filter of runs with %j is refused and told what it needs', async (filter, named) => {
  const refusal = { code: 'INPUT_INVALID', message: expect.stringContaining(named) as unknown }
  await expect(memoryJournal().list(filter as RunFilter)).rejects.toMatchObject(refusal)
})

test('every valid filter is taken', () => {
  const filter: Required<RunFilter> = {
    state: ['running', 'suspended', 'completed', 'failed', 'cancelled'],
    sessionId: 's',
    name: 'n',
    parent: null,
    runPrefix: '',
    updatedBefore: 0,
    wakeBefore: 1.5,
    waiting: true,
    order: 'wake',
    after: { at: 0, run: '' },
    limit: Infinity,
  }
  expect(() => checkRunFilter(filter)).not.toThrow()
  expect(() => checkRunFilter({})).not.toThrow()
})
