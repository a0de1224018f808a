import { describe, expect, it, test } from 'vitest'
import { MandateError, manualClock } from '../core/index.ts'
import { memoryJournal, readAll } from '../journal/index.ts'
import type { Entry, Journal, Lease } from '../journal/index.ts'
import { faultyJournal, journalConformance, sampleRun } from './index.ts'
import type { FaultPlan } from './faulty-journal.ts'

const take = (journal: Journal, run = 'run'): Promise<Lease> =>
  journal.acquire({ run, owner: 'tester', ttlMs: 1_000, now: 0 })

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'accepted',
    (error: unknown) => (MandateError.isInstance(error) ? error.code : String(error)),
  )
}

/** Writes a run as a stubborn writer would: what fails is read back and asked again under a new lease. */
async function writeStubbornly(plan: FaultPlan): Promise<{ faults: readonly string[]; stored: Entry[] }> {
  const inner = memoryJournal()
  const journal = faultyJournal(inner, plan)
  const entries = sampleRun('run', { notes: 60, end: 'completed' })
  while ((await journal.summary('run'))?.state !== 'completed') {
    const lease = await take(journal)
    for (let seq = lease.head.seq; seq < entries.length; seq++) {
      if ((await codeOf(journal.append(lease, seq, [entries[seq]!]))) !== 'accepted') break
    }
  }
  return { faults: journal.faults, stored: await readAll(inner, 'run') }
}

journalConformance(
  {
    name: 'faultless faulty',
    async open() {
      const journal = faultyJournal(memoryJournal(), {
        seed: 1,
        delay: 0.5,
        duplicateSignal: 0.5,
        duplicateChange: 0.5,
      })
      return { journal, close: () => journal.close() }
    },
  },
  { describe, it, expect },
)

test('the same seed fails the same way, another seed another way', async () => {
  const plan = { failBefore: 0.2, failAfter: 0.2, stealLease: 0.1, delay: 0.3 }
  const first = await writeStubbornly({ seed: 5, ...plan })
  const second = await writeStubbornly({ seed: 5, ...plan })
  const other = await writeStubbornly({ seed: 6, ...plan })
  expect(first.faults.length).toBeGreaterThan(10)
  expect(second.faults).toEqual(first.faults)
  expect(other.faults).not.toEqual(first.faults)
  for (const { stored } of [first, second, other])
    expect(stored).toEqual(sampleRun('run', { notes: 60, end: 'completed' }))
})

test('a fault before the commit stores nothing, one after it stores everything', async () => {
  for (const [kind, stored] of [
    ['failBefore', 0],
    ['failAfter', 2],
  ] as const) {
    const journal = faultyJournal(memoryJournal(), { seed: 1, [kind]: 1 })
    expect(await codeOf(journal.append(await take(journal), 0, sampleRun('run', { notes: 1 })))).toBe('STORE_FAILED')
    expect((await readAll(journal, 'run')).length).toBe(stored)
  }
})

test('an answer that never comes does not hold up what was stored', async () => {
  const journal = faultyJournal(memoryJournal(), { seed: 1, neverAnswer: 1 })
  let answered = false
  journal.append(await take(journal), 0, sampleRun('run')).then(
    () => (answered = true),
    () => {},
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(answered).toBe(false)
  expect((await readAll(journal, 'run')).length).toBe(1)
})

test('the disk is full from the given append until it is healed', async () => {
  const journal = faultyJournal(memoryJournal(), { seed: 1, diskFullFrom: 2 })
  const entries = sampleRun('run', { notes: 2 })
  const lease = await take(journal)
  expect(await codeOf(journal.append(lease, 0, entries.slice(0, 1)))).toBe('accepted')
  expect(await codeOf(journal.append(lease, 1, entries.slice(1)))).toBe('DISK_FULL')
  expect(await codeOf(journal.append(lease, 1, entries.slice(1)))).toBe('DISK_FULL')
  journal.heal()
  expect(await codeOf(journal.append(lease, 1, entries.slice(1)))).toBe('accepted')
})

test('a stolen lease fails that append and can be taken back', async () => {
  const journal = faultyJournal(memoryJournal(), { seed: 1, stealLeaseAt: 2 })
  const entries = sampleRun('run', { notes: 1 })
  const lease = await take(journal)
  await journal.append(lease, 0, entries.slice(0, 1))
  expect(await codeOf(journal.append(lease, 1, entries.slice(1)))).toBe('LEASE_LOST')
  expect(await codeOf(journal.append(await take(journal), 1, entries.slice(1)))).toBe('accepted')
  expect(journal.faults).toEqual(['stealLease append run after 1'])
})

test('a signal that is repeated under another id is there twice, a duplicated one once', async () => {
  const signal = { id: 's', type: 'wake', at: 1, by: { id: 'x', roles: [] }, data: null } as const
  for (const [kind, ids] of [
    ['duplicateSignal', ['s']],
    ['repeatSignal', ['s', 's-again']],
  ] as const) {
    const journal = faultyJournal(memoryJournal(), { seed: 1, [kind]: 1 })
    await journal.append(await take(journal), 0, sampleRun('run'))
    await journal.signal('run', signal)
    expect((await journal.signals('run')).map(({ id }) => id)).toEqual(ids)
  }
})

test('delays follow the clock they are given', async () => {
  const clock = manualClock()
  const journal = faultyJournal(memoryJournal(), { seed: 3, delay: 1, delayMs: 1_000, clock })
  const taken = take(journal)
  expect(clock.next).toBeGreaterThan(0)
  clock.advance(1_000)
  expect((await taken).epoch).toBe(1)
})
