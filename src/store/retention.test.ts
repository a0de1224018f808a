import { expect, test } from 'vitest'
import { MandateError } from '../core/index.ts'
import { memoryJournal, readAll, verifyEntries } from '../journal/index.ts'
import type { Journal } from '../journal/index.ts'
import { sampleRun } from '../testing/index.ts'
import type { SampleRunOptions } from '../testing/index.ts'
import { retain } from './retention.ts'

async function journalOf(runs: Record<string, SampleRunOptions>): Promise<Journal> {
  const journal = memoryJournal()
  for (const [run, options] of Object.entries(runs)) {
    const lease = await journal.acquire({ run, owner: 'x', ttlMs: 1, now: 0 })
    await journal.append(lease, 0, sampleRun(run, options))
  }
  return journal
}

const ended = { end: 'completed' } as const

test('runs that ended too long ago are erased, and their chains still verify', async () => {
  const journal = await journalOf({
    old: { at: 100, ...ended },
    edge: { at: 199, ...ended },
    young: { at: 900, ...ended },
  })
  expect(await retain(journal, { olderThanMs: 800, now: 1_000 })).toEqual({ runs: ['old'], entries: 2 })
  expect(verifyEntries('old', await readAll(journal, 'old'))).toMatchObject({ ok: true, erased: 2 })
  expect((await journal.list()).filter(({ erased }) => erased).map(({ run }) => run)).toEqual(['old'])
  expect(await retain(journal, { olderThanMs: 800, now: 1_000 })).toEqual({ runs: [], entries: 0 })
})

test('a dry run reports what would be erased', async () => {
  const journal = await journalOf({ old: { at: 100, ...ended }, young: { at: 900, ...ended } })
  const options = { olderThanMs: 800, now: 1_000 }
  const told = await retain(journal, { ...options, dryRun: true })
  expect((await journal.list()).some(({ erased }) => erased)).toBe(false)
  expect(await retain(journal, options)).toEqual(told)
})

test('only the newest runs are kept, when a number is given', async () => {
  const journal = await journalOf({
    a: { at: 1, ...ended },
    b: { at: 2, ...ended },
    c: { at: 3, ...ended },
    d: { at: 4, ...ended },
  })
  expect((await retain(journal, { keepRuns: 2, now: 10 })).runs.toSorted()).toEqual(['a', 'b'])
  expect((await retain(journal, { keepRuns: 1, olderThanMs: 1_000, now: 10 })).runs).toEqual(['c'])
})

test('a run that may continue is never erased, and does not count', async () => {
  const journal = await journalOf({ running: { at: 1 }, a: { at: 2, ...ended } })
  expect(await retain(journal, { keepRuns: 1, olderThanMs: 1e9, now: 10 })).toEqual({ runs: [], entries: 0 })
  expect((await retain(journal, { keepRuns: 0, now: 10 })).runs).toEqual(['a'])
})

test('child runs stay and go with the run at the top of their tree', async () => {
  const child = (parent: string, at: number): SampleRunOptions => ({
    at,
    ...ended,
    start: { parent: { run: parent, key: 'k' } },
  })
  const journal = await journalOf({
    top: { at: 100 },
    child: child('top', 110),
    done: { at: 10, ...ended },
    inner: child('done', 900),
    leaf: child('inner', 20),
  })
  expect((await retain(journal, { olderThanMs: 500, now: 1_000 })).runs).toEqual([])
  expect((await retain(journal, { olderThanMs: 50, now: 1_000 })).runs.toSorted()).toEqual(['done', 'inner', 'leaf'])
})

test('the oldest runs are erased until the others fit the size; runs that may continue count first', async () => {
  const journal = await journalOf({
    running: { at: 1, notes: 3 },
    a: { at: 2, notes: 3, ...ended },
    b: { at: 3, notes: 3, ...ended },
    c: { at: 4, notes: 3, ...ended },
  })
  const { bytes: whole } = await retain(journal, { maxBytes: 1e9, now: 10 })
  expect(whole).toBe(0)
  const size = Buffer.byteLength(JSON.stringify((await readAll(journal, 'b')).map(({ salt, data }) => [salt, data])))
  const report = await retain(journal, { maxBytes: size * 3.5, now: 10 })
  expect(report.runs).toEqual(['a'])
  expect(report.bytes).toBeCloseTo(size, -2)
  expect(verifyEntries('a', await readAll(journal, 'a')).ok).toBe(true)
  expect((await retain(journal, { maxBytes: 0, now: 10 })).runs.toSorted()).toEqual(['b', 'c'])
})

test('a limit must be given, and make sense', async () => {
  for (const options of [{}, { olderThanMs: -1 }, { keepRuns: Number.NaN }]) {
    await expect(retain(memoryJournal(), { ...options, now: 1 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  }
})

test('one damaged run is named and keeps no other', async () => {
  const inner = memoryJournal()
  for (const run of ['a', 'b', 'c']) {
    const lease = await inner.acquire({ run, owner: 'me', ttlMs: 1, now: 0 })
    await inner.append(lease, 0, sampleRun(run, { notes: 1, end: 'completed' }))
  }
  const journal = Object.assign(Object.create(inner) as typeof inner, {
    list: inner.list.bind(inner),
    erase: async (run: string) => {
      if (run === 'b') throw new MandateError('JOURNAL_DAMAGED', 'Run "b" is damaged.')
      return inner.erase(run)
    },
  })
  const report = await retain(journal, { olderThanMs: 0, now: 10_000 })
  expect(report.runs.toSorted()).toEqual(['a', 'c'])
  expect(report.damaged).toEqual([{ run: 'b', problem: 'Run "b" is damaged.' }])
})
