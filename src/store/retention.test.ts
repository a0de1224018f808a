import { describe, expect, test } from 'vitest'
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
  expect(await retain(journal, { olderThanMs: 800, now: 1_000 })).toMatchObject({ runs: ['old'], entries: 2, kept: [] })
  expect(verifyEntries('old', await readAll(journal, 'old'))).toMatchObject({ ok: true, erased: 2 })
  expect((await journal.list()).filter(({ erased }) => erased).map(({ run }) => run)).toEqual(['old'])
  expect(await retain(journal, { olderThanMs: 800, now: 1_000 })).toEqual({
    runs: [],
    entries: 0,
    sessions: [],
    kept: [],
  })
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
  expect(await retain(journal, { keepRuns: 1, olderThanMs: 1e9, now: 10 })).toMatchObject({ runs: [], kept: [] })
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

/** The runs of a session of cells, or of an agent. */
function inSession(
  sessionId: string,
  at: number,
  start: Partial<NonNullable<SampleRunOptions['start']>> = {},
): SampleRunOptions {
  return { at, ...ended, start: { mind: 'cell', name: 'repl', sessionId, ...start } }
}

describe('a session', () => {
  test('keeps all of its runs as long as one of them is within every limit', async () => {
    const runs = { first: inSession('nb', 100), second: inSession('nb', 900), other: inSession('old', 110) }
    const limits = { olderThanMs: 500, now: 1_000 }
    const report = await retain(await journalOf(runs), limits)
    expect(report.runs).toEqual(['other'])
    expect(report.sessions).toEqual([{ session: 'old', mind: 'cell', name: 'repl', runs: 1, usedAt: 111 }])
    expect(report.kept).toEqual([{ session: 'nb', runs: 1, reason: 'it was used later' }])
    expect((await retain(await journalOf(runs), { keepRuns: 1, now: 1_000 })).runs).toEqual(['other'])
    const { bytes = 0 } = await retain(await journalOf(runs), { maxBytes: 0, now: 1_000, dryRun: true })
    expect((await retain(await journalOf(runs), { maxBytes: Math.floor(bytes * 0.8), now: 1_000 })).runs).toEqual([
      'other',
    ])
  })

  test('that was not used for long is erased as a whole', async () => {
    const journal = await journalOf({ first: inSession('nb', 100), second: inSession('nb', 300) })
    const report = await retain(journal, { olderThanMs: 500, now: 1_000 })
    expect(report.runs.toSorted()).toEqual(['first', 'second'])
    expect(report.sessions).toMatchObject([{ session: 'nb', runs: 2, usedAt: 301 }])
  })

  test('with a run that can still continue keeps the runs before it', async () => {
    const journal = await journalOf({
      asked: { ...inSession('chat', 100, { mind: 'agent' }) },
      open: { at: 200, start: { mind: 'agent', sessionId: 'chat' } },
    })
    expect(await retain(journal, { olderThanMs: 5, now: 1_000 })).toMatchObject({
      runs: [],
      kept: [{ session: 'chat', runs: 1, reason: 'a run of it can still continue' }],
    })
  })

  test('keeps the session from which it was forked, and the one before that', async () => {
    const fork = (session: string, at: number, base: string): SampleRunOptions =>
      inSession(session, at, { input: { source: '', op: 'fork', base } })
    const journal = await journalOf({
      a1: inSession('a', 100),
      a2: inSession('a', 110),
      b1: fork('b', 200, 'a1'),
      c1: fork('c', 900, 'b1'),
      d1: fork('d', 300, 'a2'),
    })
    const report = await retain(journal, { olderThanMs: 500, now: 1_000 })
    expect(report.runs).toEqual(['d1'])
    expect(report.kept.map(({ session, reason }) => [session, reason])).toEqual([
      ['b', 'the cells of session "c" continue it'],
      ['a', 'the cells of session "b" continue it'],
    ])
  })

  test('of programs alone is none: each occurrence of a schedule is on its own', async () => {
    const occurrence = (at: number): SampleRunOptions => ({ at, start: { mind: 'program', sessionId: 'schedule-1' } })
    const journal = await journalOf({ past: { ...occurrence(100), ...ended }, next: occurrence(200) })
    expect((await retain(journal, { olderThanMs: 500, now: 1_000 })).runs).toEqual(['past'])
  })
})
