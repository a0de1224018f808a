import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { EffectKind, RuleBinding, StandingApproval } from '../../journal/index.ts'
import { hashEffect } from '../effect.ts'
import { createGate } from '../gate.ts'
import { DEFAULT_GUARDS } from '../gate.ts'
import type { Guard } from '../guard.ts'
import { coversByRule, matchStanding } from './standing-approvals.ts'
import { targetName } from '../rules/targets.ts'
import { requestOf } from '../view.fixture.ts'

const approval: StandingApproval = { tool: 'deploy', riskMax: 'exec', expiresAt: 2_000 }
const input = { target: 'staging', version: 3 }

function matches(
  changes: Partial<StandingApproval>,
  call: { kind?: EffectKind; name?: string; input?: Json; risk?: 'exec' | 'destructive'; now?: number } = {},
): boolean {
  const effect = { kind: call.kind ?? 'tool', name: call.name ?? 'deploy', input: call.input ?? input }
  return matchStanding([{ ...approval, ...changes }], effect, call.risk ?? 'exec', call.now ?? 1_000) !== undefined
}

describe('a standing approval', () => {
  it.each<[string, Partial<StandingApproval>, Parameters<typeof matches>[1], boolean]>([
    ['covers its tool', {}, {}, true],
    ['not another tool', {}, { name: 'deploy2' }, false],
    ['not a name that it begins', { tool: 'dep*' }, {}, false],
    ['not another kind of the same name', {}, { kind: 'database' }, false],
    ['another kind by kind and name', { tool: 'database:deploy' }, { kind: 'database' }, true],
    ['not a tool that is named like another kind', { tool: 'database:deploy' }, { name: 'database:deploy' }, false],
    ['up to its risk', {}, { risk: 'destructive' }, false],
    ['no risk when its own is nonsense', { riskMax: 'any' }, {}, false],
    ['until it expires', {}, { now: 2_000 }, false],
    ['an input with the members it names', { input: { target: 'staging' } }, {}, true],
    ['not one with another value', { input: { target: 'prod' } }, {}, false],
    ['not one without the member', { input: { force: true } }, {}, false],
    ['not a member that is inherited', { input: { toString: null } }, {}, false],
    ['not an input that has no members', { input: {} }, { input: 'text' }, false],
    ['not a list', { input: {} }, { input: ['a'] }, false],
    ['exactly its call', { hash: hashEffect('tool', 'deploy', input) }, {}, true],
    [
      'not its call with one member more',
      { hash: hashEffect('tool', 'deploy', input) },
      { input: { ...input, force: true } },
      false,
    ],
  ])('%s', (_, changes, call, expected) => {
    expect(matches(changes, call)).toBe(expected)
  })

  it('is found among others', () => {
    const list = [{ ...approval, tool: 'a' }, { ...approval, expiresAt: 0 }, approval]
    expect(matchStanding(list, { kind: 'tool', name: 'deploy', input }, 'exec', 1_000)).toBe(approval)
    expect(matchStanding([], { kind: 'tool', name: 'deploy', input }, 'exec', 1_000)).toBeUndefined()
  })

  it('names every target unmistakably', () => {
    const names = [
      targetName('tool', 'a'),
      targetName('agent', 'a'),
      targetName('tool', 'agent:a'),
      targetName('tool', 'tool:a'),
    ]
    expect(new Set(names).size).toBe(4)
  })
})

describe('an approval with the scope rule', () => {
  const bound: RuleBinding = {
    rules: ['0:rules/a', '1:profile/b'],
    mandates: 'm',
    definition: 'd',
    mind: 'agent/clerk',
  }
  const covers = (now: Partial<RuleBinding>, changes: Partial<StandingApproval> = {}, at = 1_000): boolean =>
    coversByRule(
      { ...approval, bound, ...changes },
      { effect: { kind: 'tool', name: 'deploy', input }, risk: 'exec', binding: { ...bound, ...now } },
      at,
    )

  it.each<[string, Partial<RuleBinding>, boolean]>([
    ['covers what the same rules ask', {}, true],
    ['covers what some of them ask', { rules: ['0:rules/a'] }, true],
    ['not what another rule asks as well', { rules: ['0:rules/a', '0:rules/c'] }, false],
    ['not the same rule of another mandate', { rules: ['1:rules/a'] }, false],
    ['not what no rule asks', { rules: [] }, false],
    ['not under changed mandates', { mandates: 'n' }, false],
    ['not with another definition of the tool', { definition: 'e' }, false],
    ['not for another mind', { mind: 'agent/other' }, false],
    ['not for other code under its name', { code: 'c' }, false],
  ])('%s', (_, now, expected) => expect(covers(now)).toBe(expected))

  it('is held to tool, input, risk and expiry like every other', () => {
    expect(covers({}, { tool: 'deploy2' })).toBe(false)
    expect(covers({}, { input: { target: 'prod' } })).toBe(false)
    expect(covers({}, { riskMax: 'write' })).toBe(false)
    expect(covers({}, {}, 2_000)).toBe(false)
  })

  it('covers nothing where it is bound to nothing', () => expect(covers({}, { bound: undefined })).toBe(false))
})

describe('with the gate', () => {
  /** What the kernel does with a decision: a standing approval is looked for only where the gate asks. */
  async function outcome(extra: readonly Guard[]): Promise<string> {
    const gate = createGate({ mandate: { profile: 'strict' }, guards: [...DEFAULT_GUARDS, ...extra] })
    const request = requestOf({ name: 'deploy', input, facts: { risk: 'exec' } })
    const decision = await gate.decide(request)
    if (decision.verdict !== 'ask') return decision.verdict
    return matchStanding([approval], { ...request.effect, input: decision.input }, decision.risk, request.now) ===
      undefined
      ? 'ask'
      : 'lifted'
  }

  it('lifts an ask, and neither a denial nor a kill', async () => {
    expect(await outcome([])).toBe('lifted')
    expect(await outcome([{ name: 'x', check: () => ({ verdict: 'deny', reason: 'no' }) }])).toBe('deny')
    expect(await outcome([{ name: 'x', check: () => ({ verdict: 'kill', reason: 'no' }) }])).toBe('kill')
    expect(
      await outcome([
        {
          name: 'x',
          check: () => {
            throw new Error('broken')
          },
        },
      ]),
    ).toBe('deny')
  })
})
