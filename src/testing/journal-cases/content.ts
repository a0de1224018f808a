import { canonical, parseJson } from '../../core/index.ts'
import {
  entriesOfType,
  exportRun,
  headOf,
  importRun,
  memoryJournal,
  readAll,
  sealEntry,
  tail,
  verifyEntries,
} from '../../journal/index.ts'
import { sampleRun, sealAll } from '../sample-run.ts'
import { guarantee, refusal, store, take } from './case.ts'
import type { JournalCase } from './case.ts'

async function lines(journal: Parameters<typeof exportRun>[0], run: string): Promise<string[]> {
  const all: string[] = []
  for await (const line of exportRun(journal, run)) all.push(line)
  return all
}

/** Any JSON value is read back unchanged, at any size, in any number of runs. */
export const contentCases: readonly JournalCase[] = [
  guarantee('any text and any name survive unchanged', async (opened, expect) => {
    const values = [
      'plain',
      'ünïcödé 漢字 🙂',
      'nul \u0000 inside',
      'lone \ud800 surrogate \udfff',
      '\u2028\u2029',
      'quote \' and " and \\',
      '',
      ' ',
      0,
      -0,
      1e21,
      5e-324,
      Number.MAX_SAFE_INTEGER,
      true,
      null,
      [],
      {},
      [[[]]],
      parseJson('{"__proto__":{"polluted":true},"constructor":1,"":2,"toString":3}', 'sample'),
    ]
    const start = sampleRun('run', { start: { name: 'näme \ud83d', sessionId: "se'ssion" } })
    const notes = values.map(
      (value, index) => ({ type: 'note', key: `k:${index}/\ud800 é`, data: { name: 'n', value } }) as const,
    )
    const entries = [...start, ...sealAll('run', notes, headOf(start[0]!))]
    await store(opened.journal, entries)
    const journal = (await opened.reopen?.()) ?? opened.journal
    expect((await readAll(journal, 'run')).map(canonical)).toEqual(entries.map(canonical))
    expect((await journal.summary('run'))?.name).toBe('näme \ud83d')
    expect((await journal.list({ name: 'näme \ud83d', sessionId: "se'ssion" })).length).toBe(1)
    expect(({} as { polluted?: boolean }).polluted).toBe(undefined)
  }),

  guarantee('data keeps the order of its keys, also in an export', async ({ journal }, expect) => {
    const value = { rank: 1, name: 'Ana', 10: 'ten', 9: 'nine', list: [{ z: 1, a: { y: 2, b: 3 } }] }
    const start = sampleRun('run')
    const note = sealAll('run', [{ type: 'note', key: 'rows', data: { value, name: 'rows' } }], headOf(start[0]!))
    await store(journal, [...start, ...note])
    const text = JSON.stringify({ value, name: 'rows' })
    const [read] = await readAll(journal, 'run', 2)
    expect(JSON.stringify(read!.data)).toBe(text)
    const other = memoryJournal()
    await importRun(other, await lines(journal, 'run'), 0)
    const [moved] = await readAll(other, 'run', 2)
    expect(JSON.stringify(moved!.data)).toBe(text)
    expect(verifyEntries('run', await readAll(other, 'run')).ok).toBe(true)
  }),

  guarantee('an entry of five megabytes is one entry', async ({ journal }, expect) => {
    const start = sampleRun('run')
    const big = 'ä'.repeat(2_500_000)
    const entries = [
      ...start,
      ...sealAll('run', [{ type: 'note', key: 'big', data: { name: 'big', value: big } }], headOf(start[0]!)),
    ]
    await store(journal, entries)
    const read = await readAll(journal, 'run', 2)
    expect(read.length).toBe(1)
    expect(entriesOfType(read, 'note')[0]!.data.value === big).toBe(true)
  }),

  guarantee('many runs written at once keep to themselves', async ({ journal }, expect) => {
    const runs = Array.from({ length: 25 }, (_, index) => `run_${index}`)
    const chains = runs.map((run) => sampleRun(run, { notes: 20, end: 'completed' }))
    await Promise.all(
      chains.map(async (entries) => {
        const lease = await take(journal, entries[0]!.run, entries[0]!.run)
        for (let seq = 0; seq < entries.length; seq += 3) await journal.append(lease, seq, entries.slice(seq, seq + 3))
      }),
    )
    for (const entries of chains) expect(await readAll(journal, entries[0]!.run)).toEqual(entries)
    expect((await journal.list({ state: 'completed' })).length).toBe(25)
  }),

  guarantee('a refused append does not disturb those beside it', async ({ journal }, expect) => {
    const good = await take(journal, 'good')
    const bad = await take(journal, 'bad')
    const answers = await Promise.all([
      refusal(journal.append(bad, 3, sampleRun('bad'))),
      refusal(journal.append(good, 0, sampleRun('good'))),
      refusal(journal.append({ ...bad, epoch: 99 }, 0, sampleRun('bad'))),
    ])
    expect(answers).toEqual(['JOURNAL_CONFLICT', 'accepted', 'LEASE_LOST'])
    expect((await journal.list()).map((summary) => summary.run)).toEqual(['good'])
  }),

  guarantee('a run moves to another journal and back without changing a byte', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 4, end: 'completed' })
    await store(journal, entries)
    const exported = await lines(journal, 'run')
    expect(exported.map((line) => canonical(JSON.parse(line)))).toEqual(entries.map(canonical))
    const other = memoryJournal()
    expect(await importRun(other, exported, 0)).toEqual({ run: 'run', entries: 6 })
    expect(await lines(other, 'run')).toEqual(exported)
    expect(await importRun(journal, await lines(other, 'run'), 0)).toEqual({ run: 'run', entries: 0 })
  }),

  guarantee(
    'an import continues what is there, and refuses what differs or is damaged',
    async ({ journal }, expect) => {
      const entries = sampleRun('run', { notes: 4, end: 'completed' })
      await store(journal, entries.slice(0, 2))
      const text = entries.map(canonical)
      const damaged = text.with(3, text[3]!.replace('"value":3', '"value":4'))
      expect(await refusal(importRun(journal, damaged, 0))).toBe('JOURNAL_DAMAGED')
      expect((await readAll(journal, 'run')).length).toBe(2)
      expect(await importRun(journal, text, 0)).toEqual({ run: 'run', entries: 4 })
      expect(await refusal(importRun(journal, sampleRun('run', { notes: 9 }).map(canonical), 0))).toBe(
        'JOURNAL_CONFLICT',
      )
      expect(await refusal(importRun(journal, sampleRun('run', { notes: 1 }).map(canonical), 0))).toBe(
        'JOURNAL_CONFLICT',
      )
      expect(verifyEntries('run', await readAll(journal, 'run')).ok).toBe(true)
    },
  ),

  guarantee('what was imported is marked, and stays marked while the run goes on', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 4 })
    await importRun(journal, entries.map(canonical), 0)
    const mark = { from: 1, to: 5 }
    expect((await journal.summary('run'))?.imported).toEqual(mark)
    const lease = await take(journal, 'run')
    await journal.append(lease, 5, sealAll('run', [{ type: 'run-resume', data: { epoch: 2 } }], lease.head))
    expect((await journal.list()).map(({ imported }) => imported)).toEqual([mark])
    await store(journal, sampleRun('own', { notes: 1 }))
    expect((await journal.summary('own'))?.imported).toBe(undefined)
  }),

  guarantee('an erased run moves too', async ({ journal }, expect) => {
    const other = memoryJournal()
    await store(other, sampleRun('run', { notes: 1, end: 'completed' }))
    await other.erase('run')
    await importRun(journal, await lines(other, 'run'), 0)
    expect(verifyEntries('run', await readAll(journal, 'run')).erased).toBe(3)
  }),

  guarantee('a tail gives what is there, then what comes, and ends with the run', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 3, end: 'completed' })
    const lease = await take(journal, 'run')
    await journal.append(lease, 0, entries.slice(0, 2))
    const seen: number[] = []
    for await (const entry of tail(journal, 'run')) {
      seen.push(entry.seq)
      if (entry.seq === 2) await journal.append(lease, 2, entries.slice(2, 3))
      if (entry.seq === 3) await journal.append(lease, 3, entries.slice(3))
    }
    expect(seen).toEqual([1, 2, 3, 4, 5])
  }),

  guarantee('the clock may jump; the times in a chain never go back', async ({ journal }, expect) => {
    const start = sampleRun('run', { at: 5_000 })
    const back = sealEntry(
      'run',
      headOf(start[0]!),
      { type: 'note', key: 'k', data: { name: 'n', value: 1 }, at: 1 },
      'aa',
    )
    await store(journal, [...start, back])
    expect((await readAll(journal, 'run')).map((entry) => entry.at)).toEqual([5_000, 5_000])
  }),

  guarantee('closing twice is closing once', async ({ journal }, expect) => {
    await store(journal, sampleRun('run'))
    await journal.close()
    expect(await refusal(journal.close())).toBe('accepted')
  }),
]
