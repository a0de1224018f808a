import { describe, expect, it } from 'vitest'
import { sampleStart, sealAll } from '../testing/index.ts'
import type { SampleDraft } from '../testing/index.ts'
import { hashEffect, verifyEntries } from './index.ts'
import type { StandingApproval } from './index.ts'

const input = { to: 'ana', amount: 5 }
const edited = { to: 'ana', amount: 3 }
const hash = hashEffect('tool', 'pay', input)
const person = { id: 'ana', roles: ['owner'] }

function problemsOf(drafts: readonly SampleDraft[], start = sampleStart()): readonly string[] {
  return verifyEntries('run', sealAll('run', [{ type: 'run-start', data: start }, ...drafts])).problems
}

const request = (given: object = {}): object => ({ kind: 'tool', name: 'pay', input, hash, ...given })
const decision = (verdict: string, risk = 'write'): object => ({ verdict, rule: 'r', reason: 'because', risk })
const decide = (verdict: string, key = 'k'): SampleDraft => ({
  type: 'effect-decide',
  key,
  data: { ...request(), decision: decision(verdict) },
})
const ask = (given: object = {}, key = 'k'): SampleDraft => ({
  type: 'approval-request',
  key,
  data: { ...request(), asked: hash, reason: 'approval', rule: 'r', text: 't', expiresAt: 9e15, ...given },
})
const answer = (given: string, more: object = {}): SampleDraft => ({
  type: 'approval-response',
  key: 'k',
  data: { request: 2, answer: given, by: person, ...more },
})
const start = (verdict = 'ask', given: object = {}, key = 'k'): SampleDraft => ({
  type: 'effect-start',
  key,
  data: { ...request(given), decision: decision(verdict), reserved: {}, repeatable: false },
})
const end = (status = 'ok', more: object = {}, key = 'k'): SampleDraft => ({
  type: 'effect-end',
  key,
  data: { outcome: { status, value: 1, reason: 'no', code: 'DENIED', rule: 'r' }, spent: {}, durationMs: 1, ...more },
})
const retry: SampleDraft = { type: 'effect-retry', key: 'k', data: { attempt: 2, reason: 'again', waitMs: 0 } }
const cut = (name: string): SampleDraft => ({ type: 'note', data: { name, value: { by: 'ana', reason: 'enough' } } })
const over: SampleDraft = { type: 'run-end', data: { state: 'completed', activeMs: 1, spent: {} } }
const editedHash = hashEffect('tool', 'pay', edited)
const standing = (more: Partial<StandingApproval> = {}): object => ({
  standing: { tool: 'pay', riskMax: 'write', expiresAt: 9e15, ...more },
})

describe('what got around the gate is found', () => {
  it.each<[string, readonly SampleDraft[], string]>([
    ['after a denial', [decide('deny'), start()], 'blocked'],
    ['after a kill, under another key too', [decide('kill', 'other'), start('allow')], 'after the run had been killed'],
    ['after a rejection', [ask(), answer('reject'), start()], 'blocked'],
    ['after its approval expired', [ask(), answer('expire'), start()], 'blocked'],
    ['against the verdict in its own entry', [start('deny')], 'blocked'],
    ['while the approval is open', [ask(), start()], 'without an approval'],
    ['without having been asked about', [start('ask')], 'without an approval'],
    [
      'with another input than the approved one',
      [ask(), answer('approve'), start('ask', { hash: 'x' })],
      'another input',
    ],
    [
      'as it was, although an edit was approved',
      [ask(), answer('approve', { edit: edited }), start()],
      'another input',
    ],
    [
      'as it was, allowed or not, although an edit was approved',
      [ask(), answer('approve', { edit: edited }), start('allow')],
      'another input',
    ],
    [
      'as it was, although an edit with a wider scope was approved',
      [ask(), answer('approve', { edit: edited, scope: 'run', ...standing() }), start()],
      'another input',
    ],
    [
      'as it was, by a guard that is said to have changed it, although an edit was approved',
      [ask(), answer('approve', { edit: edited }), start('modify')],
      'another input',
    ],
    [
      'after a rejection, under an approval of other calls',
      [ask(), ask({}, 'other'), answer('reject'), answer('approve', { request: 3, ...standing() }), start()],
      'blocked',
    ],
    [
      'after its request was withdrawn, though it needed one',
      [ask(), answer('withdraw'), start()],
      'without an approval',
    ],
    ['twice', [start('allow'), start('allow')], 'a second time'],
    ['after it had ended', [start('allow'), end(), start('allow')], 'a second time'],
    ['after it was denied without a decision', [end('denied', { asked: hash }), start('allow')], 'a second time'],
    ['after the run was cancelled', [cut('cancel-request'), start('allow')], 'after the run had been cut'],
    ['after the run passed a limit', [cut('limit-reached'), start('allow')], 'after the run had been cut'],
    ['after the run had ended', [over, start('allow')], 'after the run had ended'],
    ['again, after it had ended', [start('allow'), end(), retry], 'after it had ended'],
    [
      'again, although it was answered with "happened"',
      [start('allow'), ask({ reason: 'in-doubt' }), answer('happened', { request: 3 }), retry],
      'answered with "happened"',
    ],
    [
      'again, although nobody could say whether it had happened',
      [start('allow'), ask({ reason: 'in-doubt' }), answer('expire', { request: 3 }), retry],
      'performed again',
    ],
  ])('performed %s', (_, drafts, words) => {
    expect(problemsOf(drafts)).toEqual([expect.stringContaining(words)])
  })

  it.each<[string, readonly SampleDraft[], string]>([
    ['a value that nothing gave', [end('ok', { asked: hash })], 'had not been performed'],
    ['a second end', [start('allow'), end(), end()], 'a second time'],
    ['an answer that an agent gave', [ask(), answer('approve', { by: { ...person, agent: true } })], 'by an agent'],
    ['a second answer', [ask(), answer('reject'), answer('approve')], 'had been answered'],
  ])('%s', (_, drafts, words) => {
    expect(problemsOf(drafts)).toEqual([expect.stringContaining(words)])
  })
})

describe('a standing approval covers', () => {
  const given = (more: Partial<StandingApproval>): readonly SampleDraft[] => [
    ask(),
    answer('approve', standing(more)),
    start('ask', { hash: 'other call', input: { to: 'ana', amount: 9 } }, 'k2'),
  ]
  it.each<[string, Partial<StandingApproval>, boolean]>([
    ['calls of its tool', {}, true],
    ['calls with the members it names', { input: { to: 'ana' } }, true],
    ['no calls with other members', { input: { to: 'bob' } }, false],
    ['no calls of other tools', { tool: 'refund' }, false],
    ['no calls of a higher risk', { riskMax: 'read' }, false],
    ['no calls after its time', { expiresAt: 1 }, false],
    ['no other call than the one it names', { hash }, false],
  ])('%s', (_, more, isCovered) => {
    expect(problemsOf(given(more))).toEqual(isCovered ? [] : [expect.stringContaining('without an approval')])
  })
})

describe('what went through the gate is no finding', () => {
  it.each<[string, readonly SampleDraft[]]>([
    ['an allowed call', [start('allow'), end()]],
    ['an approved call', [ask(), answer('approve'), start(), end()]],
    [
      'an edited call, as it was edited',
      [ask(), answer('approve', { edit: edited }), start('ask', { hash: editedHash, input: edited }), end()],
    ],
    [
      'an edited call that the gate then changed',
      [ask(), answer('approve', { edit: edited }), start('modify', { hash: 'm' }), end()],
    ],
    [
      'a call that was asked about anew',
      [
        ask(),
        answer('approve', { edit: edited }),
        ask({ hash: 'm' }),
        answer('approve', { request: 4 }),
        start('ask', { hash: 'm' }),
      ],
    ],
    [
      'a call that had not happened, made again',
      [start('allow'), ask({ reason: 'in-doubt' }), answer('not-happened', { request: 3 }), retry, end()],
    ],
    [
      'an answered question',
      [ask({ reason: 'question', kind: 'question' }), answer('answer', { value: 4 }), end('ok', { asked: hash })],
    ],
    [
      'a note of the mind that is only called like that',
      [{ ...cut('cancel-request'), key: 'n' }, start('allow'), end()],
    ],
    ['a cancelled call', [end('cancelled', { asked: hash })]],
    ['a call that needed no answer any more', [ask(), answer('withdraw'), start('allow'), end()]],
  ])('%s', (_, drafts) => {
    expect(problemsOf(drafts)).toEqual([])
  })

  it('in a fork, where the approval of another call stayed behind', () => {
    const forked = sampleStart({ forkOf: { run: 'other', seq: 3, hash: 'h' } })
    expect(problemsOf([start('ask')], forked)).toEqual([])
    expect(problemsOf([ask(), start('ask')], forked)).toHaveLength(1)
    const resumed: SampleDraft = { type: 'run-resume', data: { epoch: 2 } }
    const shared = [ask(), answer('approve', standing()), start('ask', {}, 'k2')]
    expect(problemsOf([...shared, resumed], forked)).toEqual([])
    // What it does by itself needs an approval of its own.
    expect(problemsOf([...shared, resumed, start('ask', {}, 'k3')], forked)).toHaveLength(1)
    expect(problemsOf([resumed, start('ask')], forked)).toHaveLength(1)
  })
})
