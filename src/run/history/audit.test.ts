import { expect, it } from 'vitest'
import { memoryJournal } from '../../journal/index.ts'
import type { Entry, Journal } from '../../journal/index.ts'
import { sampleRun, sampleStart, sealAll } from '../../testing/index.ts'
import type { SampleDraft } from '../../testing/index.ts'
import { auditStore } from '../index.ts'

async function storeOf(...runs: readonly (readonly Entry[])[]): Promise<Journal> {
  const journal = memoryJournal()
  for (const entries of runs) {
    const lease = await journal.acquire({ run: entries[0]!.run, owner: 'test', ttlMs: 1, now: 0 })
    await journal.append(lease, 0, entries)
    await journal.release(lease)
  }
  return journal
}

const call = { kind: 'tool', name: 'pay', input: {}, hash: 'h' }
const decision = (verdict: string): object => ({ verdict, rule: 'rules/r1', reason: 'because', risk: 'write' })
const start = (verdict: string, key = 'k', kind = 'tool'): SampleDraft => ({
  type: 'effect-start',
  key,
  data: { ...call, kind, decision: decision(verdict), reserved: {}, repeatable: false },
})
const denied: SampleDraft = { type: 'effect-decide', key: 'k', data: { ...call, decision: decision('deny') } }
const ask: SampleDraft = {
  type: 'approval-request',
  key: 'a',
  data: { ...call, asked: 'h', reason: 'approval', rule: 'risk', text: 'why', expiresAt: 9_000 },
}
const answer = (data: object): SampleDraft => ({
  type: 'approval-response',
  key: 'a',
  data: { by: { id: 'ana', roles: [] }, ...data },
})
const run = (name: string, drafts: readonly SampleDraft[], parent?: { run: string; key: string }): Entry[] =>
  sealAll(name, [{ type: 'run-start', data: sampleStart(parent === undefined ? {} : { parent }) }, ...drafts])

it('a store without incidents passes, and its size is reported', async () => {
  const journal = await storeOf(sampleRun('run_1', { notes: 2, end: 'completed' }), sampleRun('run_2'))
  await journal.erase('run_1')
  expect(await auditStore(journal)).toEqual({ ok: true, runs: 2, entries: 5, erased: 4, incidents: [], blocked: [] })
})

it('every run is looked at, and an incident names its run', async () => {
  const journal = await storeOf(sampleRun('run_1'), run('run_2', [denied, start('allow')]), sampleRun('run_3'))
  const { ok, runs, incidents } = await auditStore(journal)
  expect({ ok, runs }).toEqual({ ok: false, runs: 3 })
  expect(incidents).toEqual([{ run: 'run_2', problem: 'Entry 3: "k" was performed although it had been blocked.' }])
})

it('a child run that its parent never started is an incident; one that it did start is not', async () => {
  const parent = run('run_1', [start('allow', 'child', 'program')])
  const good = run('run_2', [], { run: 'run_1', key: 'child' })
  const bad = run('run_3', [], { run: 'run_1', key: 'other' })
  const { incidents } = await auditStore(await storeOf(parent, good, bad))
  expect(incidents).toEqual([{ run: 'run_3', problem: 'Its parent "run_1" never started it under "other".' }])
})

it('a run that was signed for and is gone is an incident', async () => {
  const gone = { v: 1, run: 'run_9', seq: 3, hash: 'h', at: 1, keyId: 'k', signature: 's' }
  const { incidents } = await auditStore(await storeOf(sampleRun('run_1')), { heads: [gone] })
  expect(incidents).toEqual([{ run: 'run_9', problem: 'Run "run_9" was signed for and is gone.' }])
})

it('everything that was blocked or changed is listed, with who or what did it', async () => {
  const journal = await storeOf(
    run('run_1', [denied, start('modify', 'm')]),
    run('run_2', [ask, answer({ request: 2, answer: 'reject', text: 'no' })]),
    run('run_3', [ask, answer({ request: 2, answer: 'approve', edit: {} })]),
    run('run_4', [ask, answer({ request: 2, answer: 'expire' })]),
    run('run_5', [ask, answer({ request: 2, answer: 'approve' }), start('ask', 'a')]),
  )
  const { blocked, incidents } = await auditStore(journal)
  expect(incidents).toEqual([])
  expect(blocked.toSorted((a, b) => (a.run < b.run ? -1 : a.seq - b.seq))).toMatchObject([
    { run: 'run_1', seq: 2, key: 'k', how: 'deny', name: 'pay', rule: 'rules/r1', reason: 'because' },
    { run: 'run_1', seq: 3, key: 'm', how: 'modify' },
    { run: 'run_2', how: 'reject', rule: 'risk', reason: 'no', by: 'ana' },
    { run: 'run_3', how: 'edit', by: 'ana' },
    { run: 'run_4', how: 'expire' },
  ])
})
