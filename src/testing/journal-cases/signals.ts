import { readAll } from '../../journal/index.ts'
import { tamperEntry } from '../forged-entry.ts'
import { sampleRun, sealAll } from '../sample-run.ts'
import { guarantee, refusal, signalOf, store, take, until } from './case.ts'
import type { JournalCase } from './case.ts'

const note = { type: 'note', key: 'k', data: { name: 'n', value: 1 } } as const

/** Signals, counters that outlive runs, and change notifications. */
export const signalCases: readonly JournalCase[] = [
  guarantee('signals wait in the order they were sent, each id once', async ({ journal }, expect) => {
    await store(journal, sampleRun('run'))
    expect(await journal.signal('run', signalOf('b', { n: 1 }))).toBe(true)
    expect(await journal.signal('run', signalOf('a'))).toBe(true)
    expect(await journal.signal('run', signalOf('b', { n: 2 }))).toBe(false)
    expect(await journal.signals('run')).toEqual([signalOf('b', { n: 1 }), signalOf('a')])
    expect(await journal.signals('other')).toEqual([])
  }),

  guarantee('of the same signal sent many times at once one is delivered', async ({ journal }, expect) => {
    await store(journal, sampleRun('run'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => journal.signal('run', signalOf('s'))))
    expect(answers.filter(Boolean).length).toBe(1)
    expect((await journal.signals('run')).length).toBe(1)
  }),

  guarantee('a signal to a run that does not exist is refused', async ({ journal }, expect) => {
    expect(await refusal(journal.signal('nobody', signalOf('s')))).toBe('NOT_FOUND')
  }),

  guarantee('a signal is consumed with the append that answers it, and its id stays used', async (opened, expect) => {
    const { journal } = opened
    await store(journal, sampleRun('run'))
    await journal.signal('run', signalOf('s'))
    await journal.signal('run', signalOf('t'))
    const lease = await take(journal, 'run')
    await journal.append(lease, 1, sealAll('run', [note], lease.head), ['s', 'unheard of'])
    expect((await journal.signals('run')).map((signal) => signal.id)).toEqual(['t'])
    expect(await journal.signal('run', signalOf('s'))).toBe(false)
    const again = (await opened.reopen?.()) ?? journal
    expect(await again.signal('run', signalOf('s'))).toBe(false)
    expect((await again.signals('run')).map((signal) => signal.id)).toEqual(['t'])
  }),

  guarantee('an append that is refused consumes nothing', async ({ journal }, expect) => {
    await store(journal, sampleRun('run'))
    await journal.signal('run', signalOf('s'))
    const lease = await take(journal, 'run')
    const bad = sealAll('run', [note], lease.head).map((entry) => tamperEntry(entry, { data: 'changed' }))
    expect(await refusal(journal.append(lease, 1, bad, ['s']))).toBe('JOURNAL_DAMAGED')
    expect((await journal.signals('run')).length).toBe(1)
  }),

  guarantee('counters add up since a moment, that moment included', async (opened, expect) => {
    const { journal } = opened
    for (const [at, amount] of [
      [10, 1],
      [20, 2],
      [20, 0.5],
      [30, 4],
    ] as const)
      await journal.addCount('spent', at, amount)
    await journal.addCount('other', 20, 100)
    const again = (await opened.reopen?.()) ?? journal
    expect(await again.sumCount('spent', 0)).toBe(7.5)
    expect(await again.sumCount('spent', 20)).toBe(6.5)
    expect(await again.sumCount('spent', 21)).toBe(4)
    expect(await again.sumCount('spent', 31)).toBe(0)
    expect(await again.sumCount('never', 0)).toBe(0)
  }),

  guarantee(
    'a watcher hears of entries and signals of its run; one of all runs hears of every run',
    async ({ journal }, expect) => {
      const mine: string[] = []
      const all: string[] = []
      const stop = journal.watch('a', (change) => mine.push(`${change.run} ${change.kind}`))
      journal.watch('*', (change) => all.push(`${change.run} ${change.kind}`))
      await store(journal, sampleRun('a'))
      await until(() => mine.includes('a entry'))
      await journal.signal('a', signalOf('s'))
      await until(() => mine.includes('a signal'))
      await store(journal, sampleRun('b'))
      await until(() => all.includes('b entry'))
      expect(all.includes('a entry') && all.includes('a signal')).toBe(true)
      expect(mine.some((line) => line.startsWith('b'))).toBe(false)
      stop()
      const heard = mine.length
      await journal.signal('a', signalOf('t'))
      await until(() => all.filter((line) => line === 'a signal').length > 1)
      expect(mine.length).toBe(heard)
    },
  ),

  guarantee('a watcher that throws breaks nothing', async ({ journal }, expect) => {
    const heard: string[] = []
    journal.watch('run', () => {
      throw new Error('not my day')
    })
    journal.watch('run', (change) => heard.push(change.run))
    await store(journal, sampleRun('run'))
    await until(() => heard.length > 0)
    expect((await readAll(journal, 'run')).length).toBe(1)
  }),
]
