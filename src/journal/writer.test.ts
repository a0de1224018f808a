import { expect, test } from 'vitest'
import { manualClock, seededRandom } from '../core/index.ts'
import { knownValues } from '../redact/index.ts'
import { faultyJournal, sampleStart } from '../testing/index.ts'
import { JournalWriter, memoryJournal, readAll } from './index.ts'
import type { Entry, Journal } from './index.ts'
import type { WriterOptions } from './writer.ts'

/** A journal that counts what it is asked to append. */
function counting(): { journal: Journal; batches: number[] } {
  const journal = memoryJournal()
  const batches: number[] = []
  const append = journal.append.bind(journal)
  journal.append = (lease, expectedSeq, entries, consume) => {
    batches.push(entries.length)
    return append(lease, expectedSeq, entries, consume)
  }
  return { journal, batches }
}

async function open(journal: Journal, options: Partial<WriterOptions> = {}): Promise<JournalWriter> {
  const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1_000, now: 0 })
  return new JournalWriter({ journal, lease, clock: manualClock(10, 1), random: seededRandom(1), ...options })
}

const note = { name: 'n', value: 1 }

test('an entry has its number and hash at once, and is stored behind it in order', async () => {
  const { journal } = counting()
  const writer = await open(journal)
  const added = [
    writer.add('run-start', undefined, sampleStart()),
    writer.add('note', 'a', note),
    writer.add('note', 'b', note),
  ]
  expect(added.map((entry) => entry.seq)).toEqual([1, 2, 3])
  expect(writer.head).toMatchObject({ seq: 3, hash: added[2]!.hash })
  await writer.durable()
  expect(await readAll(journal, 'run')).toEqual(added)
})

test('entries added together are stored together, later ones in the next append', async () => {
  const { journal, batches } = counting()
  const writer = await open(journal)
  writer.add('run-start', undefined, sampleStart())
  writer.add('note', 'a', note)
  await Promise.resolve()
  writer.add('note', 'b', note)
  writer.add('note', 'c', note)
  await writer.durable()
  expect(batches).toEqual([2, 2])
})

test('durable waits for as much as was asked', async () => {
  const { journal } = counting()
  const writer = await open(journal)
  const first = writer.add('run-start', undefined, sampleStart())
  await writer.durable(first.seq)
  expect((await journal.summary('run'))?.head.seq).toBe(1)
  await writer.durable(first.seq)
})

test('what is held back is stored by a flush, and not before', async () => {
  const { journal, batches } = counting()
  const writer = await open(journal, { held: true })
  writer.add('run-start', undefined, sampleStart())
  writer.add('note', 'a', note)
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([])
  await writer.flush()
  expect(batches).toEqual([2])
  await writer.flush()
  expect(batches).toEqual([2])
})

test('what nothing waits for is gathered; a write that is waited for is stored at once, with what was gathered', async () => {
  const { journal, batches } = counting()
  // Time stands still unless it is moved: whatever waits for it would wait for ever.
  const clock = manualClock(10)
  const writer = await open(journal, { clock, gatherMs: 50 })
  writer.add('run-start', undefined, sampleStart())
  writer.add('note', 'a', note)
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([])
  await writer.durable()
  expect(batches).toEqual([2])
  await writer.durable(writer.add('note', 'b', note).seq)
  expect(batches).toEqual([2, 1])
  writer.add('note', 'c', note)
  writer.add('note', 'd', note)
  clock.advance(50)
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([2, 1, 2])
})

test('a prelude is written before the first entry, and not without one', async () => {
  const { journal, batches } = counting()
  const first = await open(journal)
  first.add('run-start', undefined, sampleStart())
  await first.durable()
  const second = await open(journal, { prelude: [{ type: 'run-resume', data: { epoch: 2 } }] })
  await second.flush()
  expect(batches).toEqual([1])
  second.add('note', 'a', note)
  second.add('note', 'b', note)
  await second.durable()
  expect((await readAll(journal, 'run')).map((entry) => entry.type)).toEqual([
    'run-start',
    'run-resume',
    'note',
    'note',
  ])
})

test('a store that fails ends the writing, and everyone who waits is rejected', async () => {
  const journal = faultyJournal(memoryJournal(), { seed: 1, diskFullFrom: 2 })
  const failures: unknown[] = []
  const writer = await open(journal, { onFailure: (error) => failures.push(error) })
  writer.add('run-start', undefined, sampleStart())
  await writer.durable()
  writer.add('note', 'a', note)
  const waiting = [writer.durable(), writer.flush()]
  for (const one of waiting) await expect(one).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(failures).toHaveLength(1)
  expect(() => writer.add('note', 'b', note)).toThrow(expect.objectContaining({ code: 'DISK_FULL' }))
  await expect(writer.durable()).rejects.toMatchObject({ code: 'DISK_FULL' })
  expect(await readAll(journal, 'run')).toHaveLength(1)
})

test('a writer that was taken down writes nothing more', async () => {
  const { journal, batches } = counting()
  const writer = await open(journal, { held: true })
  writer.add('run-start', undefined, sampleStart())
  const waiting = writer.durable()
  writer.fail(new Error('taken down'))
  await expect(waiting).rejects.toThrow('taken down')
  await expect(writer.flush()).rejects.toThrow('taken down')
  await new Promise((resolve) => setImmediate(resolve))
  expect(batches).toEqual([])
})

test('signals are consumed by the append that carries their entry', async () => {
  const { journal } = counting()
  const writer = await open(journal)
  writer.add('run-start', undefined, sampleStart())
  await writer.durable()
  for (const id of ['s', 't'])
    await journal.signal('run', { id, type: 'wake', at: 1, by: { id: 'x', roles: [] }, data: null })
  writer.add('note', 'a', note, ['s'])
  await writer.durable()
  expect((await journal.signals('run')).map(({ id }) => id)).toEqual(['t'])
})

test('what is sealed is already redacted, and what is seen is what is sealed', async () => {
  const { journal } = counting()
  const known = knownValues()
  known.add('TOKEN', 'hunter22')
  const seen: Entry[] = []
  const writer = await open(journal, { redactor: known, onEntry: (entry) => seen.push(entry) })
  writer.add('run-start', undefined, sampleStart({ input: 'with hunter22' }))
  await writer.durable()
  const stored = await readAll(journal, 'run')
  expect(JSON.stringify(stored)).not.toContain('hunter22')
  expect(seen).toEqual(stored)
})
