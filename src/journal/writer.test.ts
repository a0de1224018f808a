import { expect, test } from 'vitest'
import { canonical, knownValues, manualClock, seededRandom } from '../core/index.ts'
import { faultyJournal, sampleStart } from '../testing/index.ts'
import { JournalWriter, memoryJournal, readAll, verifyEntries } from './index.ts'
import type { EffectEndData, EffectStartData, Entry, Journal, WriterOptions } from './index.ts'

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

test('what is added together is stored together, what comes meanwhile in the next append', async () => {
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

test('a store that refuses ends the writing, and everyone who waits is told', async () => {
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

const start: EffectStartData = {
  decision: { reason: 'No guard objects.', risk: 'read', rule: 'gate', verdict: 'allow' },
  hash: 'h',
  input: { a: 1 },
  kind: 'model',
  name: 'm',
  repeatable: true,
  reserved: { modelCalls: 1 },
}
const end: EffectEndData = { durationMs: 3, outcome: { status: 'ok', value: 'said' }, spent: { modelCalls: 1 } }

test('a start that is kept back is one entry with its end when nothing is written in between', async () => {
  const { journal } = counting()
  const writer = await open(journal)
  writer.add('run-start', undefined, sampleStart())
  writer.keepStart('k', start, canonical(start.input))
  expect([writer.keptStart('k'), writer.keptStart('other'), writer.head.seq]).toEqual([start, undefined, 1])
  const whole = writer.addEnd('k', end, false)
  expect([whole.seq, whole.data, writer.keptStart('k')]).toEqual([2, { ...end, start }, undefined])
  await writer.flush()
  const read = await readAll(journal, 'run')
  expect(read.map(({ type }) => type)).toEqual(['run-start', 'effect-end'])
  expect(verifyEntries('run', read)).toMatchObject({ ok: true })
})

test('a start that is kept back comes before whatever else is written, with its own time', async () => {
  const seen: unknown[] = []
  const { journal } = counting()
  const writer = await open(journal, { onEntry: ({ type, at }) => void seen.push([type, at]) })
  writer.add('run-start', undefined, sampleStart())
  writer.keepStart('k', start, canonical(start.input))
  writer.add('note', 'a', note)
  writer.keepStart('l', start, canonical(start.input))
  writer.keepStart('m', start, canonical(start.input))
  writer.addEnd('k', end, true)
  await writer.flush()
  expect((await readAll(journal, 'run')).map(({ type, key }) => [type, key])).toEqual([
    ['run-start', undefined],
    ['effect-start', 'k'],
    ['note', 'a'],
    ['effect-start', 'l'],
    ['effect-start', 'm'],
    ['effect-end', 'k'],
  ])
  expect(seen.slice(0, 3)).toEqual([
    ['run-start', 11],
    ['effect-start', 12],
    ['note', 13],
  ])
})

test('a start that is kept back is written by itself after a while, unless it was dropped or the journal is lost', async () => {
  const { journal } = counting()
  const clock = manualClock(10)
  const writer = await open(journal, { clock })
  writer.add('run-start', undefined, sampleStart())
  writer.keepStart('k', start, canonical(start.input))
  clock.advance(999)
  expect(writer.head.seq).toBe(1)
  clock.advance(1)
  expect(writer.head.seq).toBe(2)
  writer.keepStart('l', start, canonical(start.input))
  writer.dropKept()
  clock.advance(5_000)
  expect(writer.head.seq).toBe(2)
  writer.keepStart('l', start, canonical(start.input))
  writer.fail(new Error('gone'))
  clock.advance(5_000)
  expect([writer.head.seq, clock.next]).toEqual([2, undefined])
})

test('a secret in a start that is kept back is hidden in the entry', async () => {
  const { journal } = counting()
  const redactor = knownValues()
  redactor.add('token', 'hunter2-hunter2')
  const writer = await open(journal, { redactor })
  writer.add('run-start', undefined, sampleStart())
  const secret = { ...start, input: { a: 'hunter2-hunter2' } }
  writer.keepStart('k', secret, canonical(secret.input))
  writer.addEnd('k', end, false)
  await writer.flush()
  const read = await readAll(journal, 'run')
  expect(JSON.stringify(read)).not.toContain('hunter2-hunter2')
  expect(verifyEntries('run', read)).toMatchObject({ ok: true })
})
