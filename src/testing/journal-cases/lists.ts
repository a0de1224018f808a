import { readAll, verifyEntries } from '../../journal/index.ts'
import type { RunFilter } from '../../journal/index.ts'
import { sampleRun, sampleStart, sealAll } from '../sample-run.ts'
import type { SampleDraft } from '../sample-run.ts'
import { guarantee, refusal, signalOf, store } from './case.ts'
import type { JournalCase } from './case.ts'

/** Summaries, filters and erasure. */
export const listCases: readonly JournalCase[] = [
  guarantee('a summary follows the run through its states', async ({ journal }, expect) => {
    const suspend = { reason: 'timer', pending: [], wakeAt: 77, activeMs: 1 }
    await store(
      journal,
      sealAll('run', [
        { type: 'run-start', data: sampleStart(), at: 5 },
        { type: 'run-suspend', data: suspend, at: 9 },
      ]),
    )
    const summary = await journal.summary('run')
    expect([summary?.state, summary?.suspendReason, summary?.wakeAt, summary?.createdAt, summary?.updatedAt]).toEqual([
      'suspended',
      'timer',
      77,
      5,
      9,
    ])
    const lease = await journal.acquire({ run: 'run', owner: 'x', ttlMs: 1, now: 0 })
    await journal.append(lease, 2, sealAll('run', [{ type: 'run-resume', data: { epoch: lease.epoch } }], lease.head))
    const resumed = await journal.summary('run')
    expect([resumed?.state, resumed?.suspendReason, resumed?.wakeAt]).toEqual(['running', undefined, undefined])
  }),

  guarantee('runs are listed newest first and filtered by every field', async ({ journal }, expect) => {
    await store(journal, sampleRun('run_a', { at: 100, start: { name: 'alpha', sessionId: 's1' } }))
    await store(journal, sampleRun('run_b', { at: 200, end: 'completed', start: { name: 'beta', sessionId: 's1' } }))
    await store(
      journal,
      sampleRun('run_c', {
        at: 200,
        end: 'failed',
        start: { name: 'alpha', sessionId: 's2', parent: { run: 'run_a', key: 'k' } },
      }),
    )
    await store(
      journal,
      sealAll('run_d', [
        { type: 'run-start', data: sampleStart({ name: 'delta', sessionId: 's3' }), at: 50 },
        { type: 'run-suspend', data: { reason: 'timer', pending: [], wakeAt: 500, activeMs: 1 }, at: 60 },
      ]),
    )
    const found = async (filter?: RunFilter): Promise<string> =>
      (await journal.list(filter)).map((summary) => summary.run.slice(4)).join('')
    expect(await found()).toBe('cbad')
    expect(await found({})).toBe('cbad')
    expect(await found({ state: 'running' })).toBe('a')
    expect(await found({ state: ['completed', 'failed'] })).toBe('cb')
    expect(await found({ state: [] })).toBe('')
    expect(await found({ sessionId: 's1' })).toBe('ba')
    expect(await found({ name: 'alpha' })).toBe('ca')
    expect(await found({ parent: 'run_a' })).toBe('c')
    expect(await found({ parent: null })).toBe('bad')
    expect(await found({ runPrefix: 'run_' })).toBe('cbad')
    expect(await found({ runPrefix: 'run_b', state: 'completed' })).toBe('b')
    expect(await found({ runPrefix: 'RUN_' })).toBe('')
    expect(await found({ runPrefix: 'run%' })).toBe('')
    expect(await found({ updatedBefore: 101 })).toBe('ad')
    expect(await found({ updatedBefore: 100 })).toBe('d')
    expect(await found({ wakeBefore: 500 })).toBe('d')
    expect(await found({ wakeBefore: 499 })).toBe('')
    expect(await found({ limit: 2 })).toBe('cb')
    expect(await found({ limit: 0 })).toBe('')
    expect(await found({ limit: Infinity, name: 'alpha', state: 'running' })).toBe('a')
    expect(await found({ name: 'no one' })).toBe('')
  }),

  guarantee(
    'runs that wait for people, and runs that sleep, are found in order and page by page',
    async ({ journal }, expect) => {
      const call = {
        kind: 'tool',
        name: 't',
        input: {},
        hash: 'h',
        asked: 'h',
        rule: 'r',
        text: 'why',
        expiresAt: 9_000,
      }
      const ask = (at: number, reason = 'approval'): SampleDraft => ({
        type: 'approval-request',
        key: 'k',
        data: { ...call, reason },
        at,
      })
      const by = { id: 'ana', roles: [] }
      const answer = (request: number): SampleDraft => ({
        type: 'approval-response',
        key: 'k',
        data: { request, answer: 'reject', by },
      })
      const suspend = (wakeAt: number): SampleDraft => ({
        type: 'run-suspend',
        data: { reason: 'approval', pending: [], wakeAt, activeMs: 1 },
      })
      const start: SampleDraft = { type: 'run-start', data: sampleStart(), at: 1 }
      await store(journal, sealAll('run_a', [start, ask(30), ask(31, 'question'), suspend(700)]))
      await store(journal, sealAll('run_b', [start, ask(20), suspend(900)]))
      await store(journal, sealAll('run_c', [start, ask(30), suspend(800)]))
      await store(journal, sealAll('run_d', [start, ask(10), answer(2)]))
      await store(
        journal,
        sealAll('run_e', [start, ask(5), { type: 'run-end', data: { state: 'failed', activeMs: 1, spent: {} } }]),
      )
      const found = async (filter: RunFilter): Promise<string> =>
        (await journal.list(filter)).map((summary) => summary.run.slice(4)).join('')
      expect((await journal.summary('run_a'))?.waiting).toEqual([
        { seq: 2, at: 30, reason: 'approval' },
        { seq: 3, at: 31, reason: 'question' },
      ])
      expect((await journal.summary('run_d'))?.waiting).toBe(undefined)
      expect((await journal.summary('run_e'))?.waiting).toBe(undefined)
      expect(await found({ waiting: true, order: 'waiting' })).toBe('bac')
      expect(await found({ waiting: true, order: 'waiting', limit: 2 })).toBe('ba')
      expect(await found({ waiting: true, order: 'waiting', after: { at: 30, run: 'run_a' } })).toBe('c')
      expect(await found({ order: 'wake' })).toBe('acb')
      expect(await found({ order: 'wake', after: { at: 700, run: 'run_a' }, limit: 1 })).toBe('c')
      expect(await found({ after: { at: 1, run: 'run_d' } })).toBe('cba')
      const lease = await journal.acquire({ run: 'run_a', owner: 'x', ttlMs: 1, now: 0 })
      await journal.append(lease, 4, sealAll('run_a', [answer(2)], lease.head))
      await journal.release(lease)
      expect((await journal.summary('run_a'))?.waiting).toEqual([{ seq: 3, at: 31, reason: 'question' }])
      expect(await found({ waiting: true, order: 'waiting' })).toBe('bca')
    },
  ),

  guarantee('erasing an ended run keeps its chain verifiable', async (opened, expect) => {
    const { journal } = opened
    const entries = sampleRun('run', { notes: 3, end: 'failed' })
    await store(journal, entries)
    await store(journal, sampleRun('other', { notes: 1 }))
    await journal.signal('run', signalOf('late', 'too late'))
    expect(await journal.erase('run')).toBe(5)
    const again = (await opened.reopen?.()) ?? journal
    const left = await readAll(again, 'run')
    expect(left.map((entry) => [entry.hash, entry.salt, entry.data])).toEqual(
      entries.map((entry) => [entry.hash, null, null]),
    )
    const report = verifyEntries('run', left)
    expect([report.ok, report.erased]).toEqual([true, 5])
    const summary = await again.summary('run')
    expect([summary?.erased, summary?.state, summary?.head.seq]).toEqual([true, 'failed', 5])
    expect(await again.signals('run')).toEqual([])
    expect((await readAll(again, 'other')).every((entry) => entry.salt !== null)).toBe(true)
  }),

  guarantee('a run that could go on is not erased, nor one that does not exist', async ({ journal }, expect) => {
    await store(journal, sampleRun('run', { notes: 1 }))
    expect(await refusal(journal.erase('run'))).toBe('RUN_STATE')
    expect(await refusal(journal.erase('nobody'))).toBe('NOT_FOUND')
    expect((await readAll(journal, 'run')).every((entry) => entry.salt !== null)).toBe(true)
  }),

  guarantee('erasing twice is erasing once', async ({ journal }, expect) => {
    await store(journal, sampleRun('run', { end: 'completed' }))
    await journal.erase('run')
    expect(await refusal(journal.erase('run'))).toBe('accepted')
    expect(verifyEntries('run', await readAll(journal, 'run')).ok).toBe(true)
  }),
]
