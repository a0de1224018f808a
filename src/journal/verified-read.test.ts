import { expect, test } from 'vitest'
import { sampleRun, tamperEntry } from '../testing/index.ts'
import { GENESIS, headBefore, headOf, memoryJournal, readAll, readVerified, tail } from './index.ts'
import type { Entry, Journal } from './index.ts'

async function stored(entries: readonly Entry[]): Promise<Journal> {
  const journal = memoryJournal()
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, entries)
  return journal
}

async function collect(entries: AsyncIterable<Entry>): Promise<number[]> {
  const seen: number[] = []
  for await (const entry of entries) seen.push(entry.seq)
  return seen
}

const run = sampleRun('run', { notes: 3, end: 'completed' })

test('reading stops at the first entry that is not the next one', async () => {
  const seen: number[] = []
  const damaged = run.map((entry) => (entry.seq === 3 ? tamperEntry(entry, { data: 'other' }) : entry))
  await expect(
    (async () => {
      for await (const entry of readVerified('run', GENESIS, damaged)) seen.push(entry.seq)
    })(),
  ).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED', info: { seq: 3 } })
  expect(seen).toEqual([1, 2])
})

test('a newer entry is refused before anything else is said about it', async () => {
  await expect(collect(readVerified('run', GENESIS, [{ ...run[0]!, v: 99, hash: 'x' }]))).rejects.toMatchObject({
    code: 'VERSION_UNSUPPORTED',
  })
})

test('the head before an entry is where its reader starts', () => {
  const at = (seq: number): ReturnType<typeof headOf> | undefined =>
    run[seq - 1] === undefined ? undefined : headOf(run[seq - 1]!)
  expect(headBefore(1, at)).toBe(GENESIS)
  expect(headBefore(3, at)).toEqual(headOf(run[1]!))
  expect(headBefore(99, at)).toBe(GENESIS)
})

test('a tail of an ended run ends, from wherever it starts', async () => {
  const journal = await stored(run)
  expect(await collect(tail(journal, 'run'))).toEqual([1, 2, 3, 4, 5])
  expect(await collect(tail(journal, 'run', { fromSeq: 4 }))).toEqual([4, 5])
  expect(await collect(tail(journal, 'run', { fromSeq: 6 }))).toEqual([])
})

test('a tail waits until it is aborted, and leaves no watcher behind', async () => {
  const journal = await stored(run.slice(0, 2))
  let watchers = 0
  const watch = journal.watch.bind(journal)
  journal.watch = (name, listener) => {
    watchers += 1
    const stop = watch(name, listener)
    return () => {
      watchers -= 1
      stop()
    }
  }
  const abort = new AbortController()
  const tailing = collect(tail(journal, 'run', { signal: abort.signal }))
  await new Promise((resolve) => setImmediate(resolve))
  expect(watchers).toBe(1)
  abort.abort()
  expect(await tailing).toEqual([1, 2])
  expect(watchers).toBe(0)
  expect(await collect(tail(journal, 'run', { signal: abort.signal }))).toEqual([])
})

test('a tail of a run that has not started waits for its start', async () => {
  const journal = memoryJournal()
  const tailing = collect(tail(journal, 'run'))
  await new Promise((resolve) => setImmediate(resolve))
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
  await journal.append(lease, 0, run)
  expect(await tailing).toEqual([1, 2, 3, 4, 5])
})

test('all entries, or those from a number on', async () => {
  const journal = await stored(run)
  expect((await readAll(journal, 'run', 4)).map((entry) => entry.seq)).toEqual([4, 5])
})
