import { headOf, readAll } from '../../journal/index.ts'
import { sampleRun } from '../sample-run.ts'
import { expire, guarantee, refusal, store, take } from './case.ts'
import type { JournalCase } from './case.ts'

/** One writer at a time; a newer lease permanently fences off the older ones. */
export const leaseCases: readonly JournalCase[] = [
  guarantee('a run has one owner at a time', async ({ journal }, expect) => {
    await take(journal, 'run', 'a')
    expect(await refusal(take(journal, 'run', 'b'))).toBe('LEASE_HELD')
    expect(await refusal(take(journal, 'other', 'b'))).toBe('accepted')
  }),

  guarantee('of many who reach for a run at once exactly one gets it', async ({ journal }, expect) => {
    const attempts = Array.from({ length: 20 }, (_, index) => refusal(take(journal, 'run', `owner ${index}`)))
    const answers = await Promise.all(attempts)
    expect(answers.filter((answer) => answer === 'accepted').length).toBe(1)
    expect(answers.filter((answer) => answer === 'LEASE_HELD').length).toBe(19)
  }),

  guarantee('an expired lease can be taken, and its old owner can write no more', async ({ journal }, expect) => {
    const entries = sampleRun('run', { notes: 2 })
    const old = await take(journal, 'run', 'a', 0)
    await journal.append(old, 0, entries.slice(0, 1))
    expect(await refusal(take(journal, 'run', 'b', 0))).toBe('LEASE_HELD')
    await expire(journal, old)
    const fresh = await take(journal, 'run', 'b', 1)
    expect(fresh.epoch > old.epoch).toBe(true)
    expect(fresh.head).toEqual(headOf(entries[0]!))
    expect(await refusal(journal.append(old, 1, entries.slice(1)))).toBe('LEASE_LOST')
    expect(await refusal(journal.renew(old, 90_000, 1))).toBe('LEASE_LOST')
    await journal.append(fresh, 1, entries.slice(1))
    expect(await readAll(journal, 'run')).toEqual(entries)
  }),

  guarantee('a lost lease cannot even repeat what it had written', async ({ journal }, expect) => {
    const entries = sampleRun('run')
    const old = await take(journal, 'run', 'a')
    await journal.append(old, 0, entries)
    await expire(journal, old)
    await take(journal, 'run', 'b', 1)
    expect(await refusal(journal.append(old, 0, entries))).toBe('LEASE_LOST')
  }),

  guarantee(
    'a lease that was given back can be taken at once, and no longer written under',
    async ({ journal }, expect) => {
      const lease = await take(journal, 'run', 'a')
      await journal.release(lease)
      expect(await refusal(journal.append(lease, 0, sampleRun('run')))).toBe('LEASE_LOST')
      expect(await refusal(take(journal, 'run', 'b'))).toBe('accepted')
    },
  ),

  guarantee('giving back late does not take the lease from the next owner', async ({ journal }, expect) => {
    const old = await take(journal, 'run', 'a', 0)
    await expire(journal, old)
    const fresh = await take(journal, 'run', 'b', 1)
    await journal.release(old)
    expect(await refusal(take(journal, 'run', 'c', 1))).toBe('LEASE_HELD')
    expect(await refusal(journal.append(fresh, 0, sampleRun('run')))).toBe('accepted')
  }),

  guarantee('renewing keeps others out', async ({ journal }, expect) => {
    const lease = await take(journal, 'run', 'a', 0)
    await expire(journal, lease)
    await journal.renew(lease, 50_000, 1)
    expect(await refusal(take(journal, 'run', 'b', 49_999))).toBe('LEASE_HELD')
    await expire(journal, lease)
    expect(await refusal(take(journal, 'run', 'b', 1))).toBe('accepted')
  }),

  guarantee('an owner may take its run again, and only its newer lease counts', async ({ journal }, expect) => {
    const first = await take(journal, 'run', 'a')
    const second = await take(journal, 'run', 'a')
    expect(await refusal(journal.append(first, 0, sampleRun('run')))).toBe('LEASE_LOST')
    expect(await refusal(journal.append(second, 0, sampleRun('run')))).toBe('accepted')
  }),

  guarantee('epochs go on growing over releases and reopening', async (opened, expect) => {
    const first = await take(opened.journal, 'run', 'a')
    await opened.journal.release(first)
    const journal = (await opened.reopen?.()) ?? opened.journal
    expect((await take(journal, 'run', 'a')).epoch > first.epoch).toBe(true)
  }),

  guarantee('ids that could not be file names are refused', async ({ journal }, expect) => {
    for (const run of ['', '..', '../x', 'a b', 'a/b', '.hidden', 'é', 'x'.repeat(129)])
      expect(await refusal(take(journal, run))).toBe('ID_INVALID')
  }),

  guarantee('a journal that is opened again has everything that was acknowledged', async (opened, expect) => {
    if (opened.reopen === undefined) return
    const entries = sampleRun('run', { notes: 3 })
    await store(opened.journal, entries)
    const journal = await opened.reopen()
    expect(await readAll(journal, 'run')).toEqual(entries)
    expect((await journal.list()).map((summary) => summary.run)).toEqual(['run'])
  }),
]
