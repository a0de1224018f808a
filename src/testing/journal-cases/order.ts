import { canonical } from '../../core/index.ts'
import { ENTRY_VERSION, GENESIS, headOf, readAll } from '../../journal/index.ts'
import type { Entry } from '../../journal/index.ts'
import { tamperEntry } from '../forged-entry.ts'
import { sampleRun, sealAll } from '../sample-run.ts'
import { guarantee, refusal, store, take } from './case.ts'
import type { JournalCase } from './case.ts'

const note = (value: unknown): { type: 'note'; key: string; data: object } => ({
  type: 'note',
  key: 'k',
  data: { name: 'n', value },
})

/** Entries are read back unchanged, in order and without gaps. */
export const orderCases: readonly JournalCase[] = [
  guarantee('entries come back in the order of their appends, byte for byte', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 5, end: 'completed' })
    const lease = await take(journal, 'run')
    for (const entry of entries) await journal.append(lease, entry.seq - 1, [entry])
    expect((await readAll(journal, 'run')).map(canonical)).toEqual(entries.map(canonical))
    expect((await journal.summary('run'))?.head).toEqual(headOf(entries.at(-1)!))
  }),

  guarantee('a run without entries is empty', async ({ journal }, expect) => {
    expect(await readAll(journal, 'nobody')).toEqual([])
    expect(await journal.summary('nobody')).toBe(undefined)
    expect((await take(journal, 'nobody')).head).toEqual(GENESIS)
    expect(await journal.list()).toEqual([])
  }),

  guarantee('an append that would leave a hole is refused and stores nothing', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 3 })
    const lease = await take(journal, 'run')
    await journal.append(lease, 0, entries.slice(0, 1))
    expect(await refusal(journal.append(lease, 2, entries.slice(2)))).toBe('JOURNAL_CONFLICT')
    expect(await refusal(journal.append(lease, 1, entries.slice(2)))).toBe('JOURNAL_DAMAGED')
    expect((await readAll(journal, 'run')).length).toBe(1)
  }),

  guarantee('an append with one bad entry stores none of them', async ({ journal }, expect) => {
    const [start, second, third] = sampleRun('run', { notes: 2 }) as [Entry, Entry, Entry]
    const lease = await take(journal, 'run')
    expect(await refusal(journal.append(lease, 0, [start, second, tamperEntry(third, { data: 'changed' })]))).toBe(
      'JOURNAL_DAMAGED',
    )
    expect(await readAll(journal, 'run')).toEqual([])
    expect(await journal.summary('run')).toBe(undefined)
  }),

  guarantee('entries of another run are refused', async ({ journal }, expect) => {
    expect(await refusal(journal.append(await take(journal, 'mine'), 0, sampleRun('theirs')))).toBe('JOURNAL_DAMAGED')
    expect(await journal.list()).toEqual([])
  }),

  guarantee('a run begins with its start', async ({ journal }, expect) => {
    const lease = await take(journal, 'run')
    expect(await refusal(journal.append(lease, 0, sealAll('run', [note(1)])))).toBe('JOURNAL_CONFLICT')
    expect(await refusal(journal.append(lease, 0, []))).toBe('JOURNAL_CONFLICT')
  }),

  guarantee('an entry of a newer version is refused before it is stored', async ({ journal }, expect) => {
    const lease = await take(journal, 'run')
    const newer = sampleRun('run').map((entry) => ({ ...entry, v: ENTRY_VERSION + 1 }))
    expect(await refusal(journal.append(lease, 0, newer))).toBe('VERSION_UNSUPPORTED')
    expect(await readAll(journal, 'run')).toEqual([])
  }),

  guarantee('asking again for an append whose answer was lost changes nothing', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 4, end: 'completed' })
    const lease = await take(journal, 'run')
    await journal.append(lease, 0, entries.slice(0, 3))
    await journal.append(lease, 0, entries.slice(0, 3))
    await journal.append(lease, 1, entries.slice(1, 2))
    await journal.append(lease, 1, entries.slice(1))
    await journal.append(lease, 0, entries)
    expect(await readAll(journal, 'run')).toEqual(entries)
  }),

  guarantee('other entries at a place that is taken are a conflict', async ({ journal }, expect) => {
    const lease = await take(journal, 'run')
    const start = sampleRun('run')
    await journal.append(lease, 0, [...start, ...sealAll('run', [note('first')], headOf(start[0]!))])
    const other = sealAll('run', [note('second')], headOf(start[0]!))
    expect(await refusal(journal.append(lease, 1, other))).toBe('JOURNAL_CONFLICT')
    expect((await readAll(journal, 'run')).at(-1)?.data).toEqual({ name: 'n', value: 'first' })
  }),

  ...(['completed', 'failed', 'cancelled'] as const).map((end) =>
    guarantee(`nothing follows the end of a ${end} run`, async ({ journal }, expect) => {
      const entries = sampleRun('run', { end })
      await store(journal, entries)
      const lease = await take(journal, 'run')
      expect(await refusal(journal.append(lease, 2, sealAll('run', [note(1)], lease.head)))).toBe('RUN_STATE')
      expect((await journal.summary('run'))?.state).toBe(end)
      expect(await readAll(journal, 'run')).toEqual(entries)
    }),
  ),

  guarantee('a thousand entries read as one chain, also from the middle', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 998, end: 'completed' })
    await store(journal, entries)
    expect((await readAll(journal, 'run')).length).toBe(1_000)
    for (const from of [2, 500, 501, 1_000])
      expect((await readAll(journal, 'run', from)).map((entry) => entry.seq)).toEqual(
        entries.slice(from - 1).map((entry) => entry.seq),
      )
    expect(await readAll(journal, 'run', 1_001)).toEqual([])
    expect((await readAll(journal, 'run', 0)).length).toBe(1_000)
  }),

  guarantee('a reader may stop early', async ({ journal }, expect) => {
    await store(journal, sampleRun('run', { notes: 700 }))
    for await (const entry of journal.read('run')) if (entry.seq === 2) break
    expect((await readAll(journal, 'run')).length).toBe(701)
  }),
]
