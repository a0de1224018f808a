import { expect, test } from 'vitest'
import { sampleRun, sampleStart, sealAll } from '../testing/index.ts'
import type { SampleDraft } from '../testing/index.ts'
import { headOf, verifyEntries } from './index.ts'
import type { VerifyReport } from './index.ts'

const run = sampleRun('run', { notes: 3, end: 'completed' })
const request = { kind: 'tool', name: 't', input: {}, hash: 'h' }
const decision = (verdict: string): object => ({ verdict, rule: 'r', reason: 'because' })

function verify(drafts: readonly SampleDraft[]): VerifyReport {
  return verifyEntries('run', sealAll('run', [{ type: 'run-start', data: sampleStart() }, ...drafts]))
}

const decide = (verdict: string): SampleDraft => ({
  type: 'effect-decide',
  key: 'k',
  data: { ...request, decision: decision(verdict) },
})
const start: SampleDraft = {
  type: 'effect-start',
  key: 'k',
  data: { ...request, decision: decision('allow'), reserved: {}, repeatable: false },
}
const end = (more: object = {}): SampleDraft => ({
  type: 'effect-end',
  key: 'k',
  data: { outcome: { status: 'ok', value: 1 }, spent: {}, durationMs: 1, ...more },
})
/** How a call ends that was not performed. */
const refused: SampleDraft = end({ asked: 'h', outcome: { status: 'denied', code: 'DENIED', reason: 'no', rule: 'r' } })
const ask: SampleDraft = {
  type: 'approval-request',
  key: 'k',
  data: { ...request, asked: 'h', reason: 'approval', rule: 'r', text: 'why', expiresAt: 9_000 },
}
const answer = (given: string, seq: number): SampleDraft => ({
  type: 'approval-response',
  key: 'k',
  data: { request: seq, answer: given, by: { id: 'ana', roles: [] } },
})

test('a whole run verifies', () => {
  expect(verifyEntries('run', run)).toEqual({
    ok: true,
    run: 'run',
    entries: 5,
    erased: 0,
    head: headOf(run[4]!),
    problems: [],
    chain: 'intact',
    authority: 'not-shown',
    unproven: [],
  })
  expect(verifyEntries('run', [])).toMatchObject({ ok: true, entries: 0 })
})

test('damage is reported with its number, and nothing after it is believed', () => {
  const report = verifyEntries('run', run.with(2, { ...run[2]!, at: 1 }))
  expect(report).toMatchObject({ ok: false, entries: 2, head: headOf(run[1]!) })
  expect(report.problems).toEqual([expect.stringContaining('damaged at entry 3')])
  expect(verifyEntries('run', run.with(0, { ...run[0]!, v: 9 })).problems[0]).toContain('version 9')
})

test('a head kept elsewhere finds a tail that was dropped, and one that was rewritten', () => {
  const known = headOf(run[4]!)
  expect(verifyEntries('run', run, known).ok).toBe(true)
  expect(verifyEntries('run', run, headOf(run[1]!)).ok).toBe(true)
  expect(verifyEntries('run', run.slice(0, 3), known).problems).toEqual([
    'Entry 5 was seen before and is gone: 2 entries at the end were dropped.',
  ])
  expect(verifyEntries('run', run, { ...known, hash: 'x' }).problems).toEqual([expect.stringContaining('rewritten')])
  expect(verifyEntries('run', [], known).ok).toBe(false)
})

test('erased entries are counted and their chain holds', () => {
  const erased = run.map((entry) => ({ ...entry, salt: null, data: null }))
  expect(verifyEntries('run', erased)).toMatchObject({ ok: true, erased: 5 })
})

test.each(['deny', 'kill'])('something performed after a verdict of %s is found', (verdict) => {
  expect(verify([decide(verdict), start]).problems).toEqual([
    'Entry 3: "k" was performed although it had been blocked.',
  ])
  expect(verify([decide(verdict), refused]).ok).toBe(true)
})

test.each(['allow', 'modify', 'ask'])('a verdict of %s blocks nothing', (verdict) => {
  expect(verify([decide(verdict), start, end()]).ok).toBe(true)
})

test('something performed after its approval was rejected is found', () => {
  expect(verify([ask, answer('reject', 2), start]).problems).toEqual([
    'Entry 4: "k" was performed although it had been blocked.',
  ])
  expect(verify([ask, answer('approve', 2), start, end()]).ok).toBe(true)
  expect(verify([ask, answer('reject', 2), refused]).ok).toBe(true)
})

test('an answer to nothing is found', () => {
  expect(verify([answer('approve', 9)]).problems).toEqual(['Entry 2 answers entry 9, which asked nothing.'])
})

test('an end without a start is found, unless it says what was asked', () => {
  expect(verify([end()]).problems).toEqual(['Entry 2: "k" ended without having started.'])
  expect(verify([refused]).ok).toBe(true)
})
