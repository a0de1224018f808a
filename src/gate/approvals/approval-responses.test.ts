import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { checkId } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { ApprovalAnswer, ApprovalRecord, ApprovalRequestData } from '../../journal/index.ts'
import { approvalId, checkResponse, parseApprovalId } from './approval-responses.ts'
import type { ApprovalResponse, ResponseCheck } from './approval-responses.ts'
import { hashEffect } from '../effect.ts'
import type { Mandate } from '../mandate/mandate.ts'

const input = { target: 'prod', version: 3 }
const hash = hashEffect('tool', 'deploy', input)
const ana = { id: 'ana', roles: ['owner'] }
const NOW = 1_000
const MONTH = 30 * 24 * 3_600_000
const binding = { rules: ['0:profile/strict-exec'], mandates: 'm', definition: 'd', mind: 'agent/clerk' }

function record(changes: Partial<ApprovalRequestData> = {}): ApprovalRecord {
  const data: ApprovalRequestData = {
    kind: 'tool',
    name: 'deploy',
    input,
    hash,
    reason: 'approval',
    asked: hash,
    rule: 'profile/strict-exec',
    text: 'Deploy?',
    risk: 'exec',
    expiresAt: 2_000,
    binding,
    ...changes,
  }
  return { seq: 7, key: 'turn:1/tool', at: 1, data }
}

function respond(
  response: Partial<ApprovalResponse>,
  to: ApprovalRecord | undefined = record(),
  mandate: Mandate = {},
): ResponseCheck {
  return checkResponse(to, { answer: 'approve', by: ana, ...response }, mandate, NOW)
}

function isUsable(id: string): boolean {
  try {
    return checkId(id, 'Id') === id
  } catch {
    return false
  }
}

describe('approval ids', () => {
  it('tell the run and the entry again', () => {
    const run = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/).filter(isUsable)
    fc.assert(
      fc.property(run, fc.integer({ min: 1, max: 2 ** 40 }), (id, seq) => {
        expect(parseApprovalId(approvalId(id, seq))).toEqual({ run: id, seq })
      }),
    )
    expect(parseApprovalId(approvalId('run-ap5', 12))).toEqual({ run: 'run-ap5', seq: 12 })
  })

  it.each([
    '',
    'run',
    'run-ap',
    'run-ap0',
    'run-ap-1',
    'run-ap1.5',
    'run-ap1e3',
    '-ap1',
    '../x-ap1',
    'a b-ap1',
    'run-ap01',
    `r-ap${'9'.repeat(20)}`,
    `${'x'.repeat(200)}-ap1`,
    'run-ap1\n',
  ])('are not made of %j', (id) => expect(parseApprovalId(id)).toBeUndefined())
})

describe('who may answer', () => {
  it.each<[string, ApprovalResponse['by'], Mandate, string | undefined]>([
    ['the owner', ana, {}, undefined],
    ['a role with the permission', { id: 'bo', roles: ['reviewer'] }, { roles: { reviewer: ['approve'] } }, undefined],
    [
      'a role without it',
      { id: 'bo', roles: ['operator'] },
      { roles: { operator: ['run-agent'] } },
      'APPROVAL_REFUSED',
    ],
    ['an unknown role', { id: 'bo', roles: ['admin'] }, {}, 'APPROVAL_REFUSED'],
    ['nobody in particular', { id: 'bo', roles: [] }, {}, 'APPROVAL_REFUSED'],
    ['the agent itself', { id: 'agent', roles: ['owner'], agent: true }, {}, 'APPROVAL_REFUSED'],
  ])('%s', (_, by, mandate, code) => {
    for (const answer of ['approve', 'reject'] as const) {
      const check = respond({ by, answer }, record(), mandate)
      expect(check.ok ? undefined : check.code).toBe(code)
    }
  })
})

describe('what may be answered', () => {
  it('a request that is not there cannot be', () => {
    expect(checkResponse(undefined, { answer: 'approve', by: ana }, {}, NOW)).toMatchObject({
      ok: false,
      code: 'NOT_FOUND',
    })
  })

  it('a second answer is refused', () => {
    const answered = { ...record(), response: { request: 7, answer: 'reject', by: { id: 'bo', roles: [] } } as const }
    expect(respond({}, answered)).toMatchObject({
      code: 'APPROVAL_STALE',
      message: expect.stringContaining('already answered with "reject" by "bo"'),
    })
  })

  it('nor too late', () => {
    expect(respond({}, record({ expiresAt: NOW + 1 })).ok).toBe(true)
    expect(respond({}, record({ expiresAt: NOW }))).toMatchObject({ code: 'APPROVAL_STALE' })
  })

  it('nor for another call than the waiting one', () => {
    expect(respond({ hash }).ok).toBe(true)
    expect(respond({ hash: hashEffect('tool', 'deploy', { target: 'prod', version: 4 }) })).toMatchObject({
      code: 'APPROVAL_STALE',
    })
  })

  const answers: readonly ApprovalAnswer[] = [
    'approve',
    'reject',
    'answer',
    'happened',
    'not-happened',
    'unknown',
    'expire',
  ]
  it.each<[ApprovalRequestData['reason'], readonly ApprovalAnswer[]]>([
    ['approval', ['approve', 'reject']],
    ['question', ['reject', 'answer']],
    ['in-doubt', ['reject', 'happened', 'not-happened', 'unknown']],
  ])('a request for %s takes %o and nothing else', (reason, fitting) => {
    const accepted = answers.filter(
      (answer) => respond({ answer, ...(answer === 'answer' ? { value: 1 } : {}) }, record({ reason })).ok,
    )
    expect(accepted).toEqual(fitting)
  })

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  it.each<[string, Partial<ApprovalResponse>, ApprovalRequestData['reason']]>([
    ['an answer nobody knows', { answer: 'yes' as never }, 'approval'],
    ['a scope nobody knows', { scope: 'always' as never }, 'approval'],
    ['a scope on a rejection', { answer: 'reject', scope: 'run' }, 'approval'],
    ['an edit on a rejection', { answer: 'reject', edit: {} }, 'approval'],
    ['a value on an approval', { value: 1 }, 'approval'],
    ['an edit that is no JSON', { edit: { n: Number.NaN } }, 'approval'],
    ['an edit that never ends', { edit: cyclic as Json }, 'approval'],
    ['a text that is none', { text: 5 as never }, 'approval'],
    ['an answer without content', { answer: 'answer' }, 'question'],
    ['an answer that is no JSON', { answer: 'answer', value: (() => 1) as never }, 'question'],
    ['a pattern for one call', { standing: {} }, 'approval'],
    ['a pattern that is none', { scope: 'rule', standing: { input: ['a'] as never } }, 'approval'],
    ['a pattern that is no object', { scope: 'rule', standing: 'all' as never }, 'approval'],
    ['more risk than was approved', { scope: 'rule', standing: { riskMax: 'destructive' } }, 'approval'],
    ['a risk nobody knows', { scope: 'rule', standing: { riskMax: 'any' as never } }, 'approval'],
    ['an end in the past', { scope: 'rule', standing: { expiresAt: NOW } }, 'approval'],
    ['an end after more than 30 days', { scope: 'rule', standing: { expiresAt: NOW + MONTH + 1 } }, 'approval'],
    ['no end', { scope: 'rule', standing: { expiresAt: Number.POSITIVE_INFINITY } }, 'approval'],
  ])('%s is refused', (_, response, reason) => {
    expect(respond(response, record({ reason }))).toMatchObject({ ok: false, code: 'INPUT_INVALID' })
  })
})

test('the scope rule is refused where the request is bound to no rule', () => {
  const refused = {
    ok: false,
    code: 'INPUT_INVALID',
    message: expect.stringContaining('Use "once" or "run"') as string,
  }
  expect(respond({ scope: 'rule' }, record({ binding: undefined }))).toMatchObject(refused)
  expect(respond({ scope: 'run' }, record({ binding: undefined }))).toMatchObject({ ok: true })
})

describe('what is journaled', () => {
  it('an approval of one call covers no other', () => {
    expect(respond({})).toEqual({ ok: true, data: { request: 7, answer: 'approve', by: ana } })
    expect(respond({ scope: 'once', text: 'fine' })).toEqual({
      ok: true,
      data: { request: 7, answer: 'approve', by: ana, scope: 'once', text: 'fine' },
    })
  })

  it('an edit is copied, so that later mutations have no effect', () => {
    const edit = { target: 'staging' }
    const check = respond({ edit })
    edit.target = 'prod'
    expect(check).toMatchObject({ data: { edit: { target: 'staging' } } })
  })

  it('an edit to null is an edit', () => {
    expect(respond({ edit: null })).toMatchObject({ data: { edit: null } })
  })

  it.each<[string, Partial<ApprovalResponse>, object]>([
    [
      'until the run ends: the tool with any input, up to the approved risk',
      { scope: 'run' },
      { tool: 'deploy', riskMax: 'exec', expiresAt: Number.MAX_SAFE_INTEGER },
    ],
    [
      'as a rule: what the same rules ask',
      { scope: 'rule' },
      { tool: 'deploy', riskMax: 'exec', expiresAt: NOW + MONTH, bound: binding },
    ],
    [
      'as a rule: calls like it',
      { scope: 'rule', standing: { input: { target: 'prod' } } },
      { tool: 'deploy', input: { target: 'prod' }, riskMax: 'exec', expiresAt: NOW + MONTH, bound: binding },
    ],
    [
      'as a rule: narrower',
      { scope: 'rule', standing: { input: {}, riskMax: 'write', expiresAt: 5_000 } },
      { tool: 'deploy', input: {}, riskMax: 'write', expiresAt: 5_000, bound: binding },
    ],
  ])('%s', (_, response, standing) => {
    const check = respond(response)
    expect(check).toMatchObject({ ok: true, data: { scope: response.scope } })
    expect(check.ok && check.data.standing).toEqual(standing)
  })

  it('answers to questions and to calls in doubt', () => {
    expect(respond({ answer: 'answer', value: { x: 1 } }, record({ reason: 'question' }))).toMatchObject({
      data: { answer: 'answer', value: { x: 1 } },
    })
    expect(respond({ answer: 'answer', value: null }, record({ reason: 'question' }))).toMatchObject({
      data: { value: null },
    })
    expect(respond({ answer: 'not-happened', text: 'I looked.' }, record({ reason: 'in-doubt' }))).toMatchObject({
      data: { answer: 'not-happened', text: 'I looked.' },
    })
  })
})

test('an identity cannot approve in a run that it started where a mandate says so, and can still reject', () => {
  const own = { ...record(), startedBy: 'ana' }
  const mandate: Mandate = { selfApproval: false }
  expect(respond({}, own).ok).toBe(true)
  expect(respond({}, own, mandate)).toMatchObject({
    code: 'APPROVAL_REFUSED',
    message: expect.stringContaining('"ana" started this run and may not approve in it'),
  })
  expect(respond({ answer: 'reject' }, own, mandate).ok).toBe(true)
  expect(respond({ by: { id: 'bob', roles: ['owner'] } }, own, mandate).ok).toBe(true)
  expect(checkResponse(own, { answer: 'approve', by: ana }, [mandate, {}], NOW).ok).toBe(false)
})
