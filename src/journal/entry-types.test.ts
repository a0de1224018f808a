import { expect, expectTypeOf, test } from 'vitest'
import { manualClock, seededRandom } from '../core/index.ts'
import { sampleRun } from '../testing/index.ts'
import { GENESIS, JournalWriter, entriesOfType, isErased, memoryJournal, sealEntry } from './index.ts'
import { ENTRY_TYPES, type ErasedEntry } from './entry.ts'
import type {
  ApprovalResponseData,
  EffectEndData,
  Entry,
  EntryType,
  IntactEntry,
  NoteData,
  RunEndData,
  RunStartData,
} from './index.ts'
import type { EntryDataByType } from './entry-data.ts'

const run = sampleRun('run', { notes: 2, end: 'completed' })

test('the type of an entry determines the type of its data', () => {
  const entry = run[0] as Entry
  expectTypeOf(entry.type).toEqualTypeOf<EntryType>()
  if (entry.type === 'run-start') expectTypeOf(entry.data).toEqualTypeOf<RunStartData | null>()
  if (entry.type === 'run-start' && !isErased(entry)) expectTypeOf(entry.data).toEqualTypeOf<RunStartData>()
  if (entry.data !== null && entry.type === 'effect-end') expectTypeOf(entry.data).toEqualTypeOf<EffectEndData>()
  if (isErased(entry)) expectTypeOf(entry).toEqualTypeOf<ErasedEntry>()
  else expectTypeOf(entry).toEqualTypeOf<IntactEntry>()
  expect(entry.type).toBe('run-start')
})

test('members that were taken out of an entry still tell it', () => {
  const outputs = run.map(({ type, data }) => {
    if (type === 'note') expectTypeOf(data).toEqualTypeOf<NoteData>()
    if (type === 'approval-response') expectTypeOf(data).toEqualTypeOf<ApprovalResponseData>()
    return type === 'run-end' ? data.state : type
  })
  expect(outputs).toEqual(['run-start', 'note', 'note', 'completed'])
})

test('a member that the data of a type does not have is refused by the compiler', () => {
  for (const entry of run) {
    if (entry.type !== 'note') continue
    expect(entry.data.name).toBe('sample')
    // @ts-expect-error: a note has no outcome.
    expect(entry.data.outcome).toBeUndefined()
  }
  const stored = run[1] as Entry
  // @ts-expect-error: the data may have been erased, and which type it is was not asked.
  expect(stored.data.name).toBe('sample')
})

test('the entries of one type come with its data', () => {
  const ends = entriesOfType(run, 'run-end')
  expectTypeOf(ends).toEqualTypeOf<IntactEntry<'run-end'>[]>()
  expectTypeOf(ends[0]!.data).toEqualTypeOf<RunEndData>()
  expect(ends.map(({ data }) => data.state)).toEqual(['completed'])
  expect(entriesOfType([{ ...run[0]!, salt: null, data: null }], 'run-start')).toEqual([])
})

test('written data must have the type of its entry, and is returned with it', async () => {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'r', owner: 'me', ttlMs: 1_000, now: 0 })
  const writer = new JournalWriter({ journal, lease, clock: manualClock(1), random: seededRandom('1') })
  const entry = writer.add('run-resume', undefined, { epoch: 2 })
  expectTypeOf(entry).toEqualTypeOf<IntactEntry<'run-resume'>>()
  expect(entry.data.epoch).toBe(2)
  // @ts-expect-error: a resumption has an epoch, and nothing else.
  writer.add('run-resume', undefined, { state: 'completed' })
  // @ts-expect-error: the same for an entry that is sealed by hand.
  sealEntry('r', GENESIS, { type: 'run-resume', data: { name: 'n', value: 1 }, at: 1 }, 'aa')
})

test('every type of entry has its data, and no other has', () => {
  expectTypeOf<keyof EntryDataByType>().toEqualTypeOf<EntryType>()
  expect(new Set(ENTRY_TYPES).size).toBe(ENTRY_TYPES.length)
})
