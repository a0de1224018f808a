import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import { PROFILES } from '../mandate/mandate.ts'
import type { Profile } from '../mandate/mandate.ts'
import { viewOf } from '../view.fixture.ts'
import { profileGuard } from './profile.ts'

/** Read, write, exec, destructive; then the calls after which every further one is asked about. */
const expected: { readonly [P in Profile]: readonly [string, string, string, string, number] } = {
  'local-permissive': ['allow', 'allow', 'allow', 'ask', 250],
  strict: ['allow', 'ask', 'ask', 'ask', 120],
  managed: ['allow', 'ask', 'deny', 'deny', 80],
}

function verdictOf(parts: Parameters<typeof viewOf>[0]): string {
  return (profileGuard.check(viewOf(parts)) as { verdict: string } | undefined)?.verdict ?? 'allow'
}

describe('the profile guard', () => {
  const rows = PROFILES.flatMap((profile) => RISKS.map((risk, i) => [profile, risk, expected[profile][i]] as const))
  it.each(rows)('%s: a tool of risk %s → %s', (profile, risk, verdict) => {
    expect(verdictOf({ mandate: { profile }, risk })).toBe(verdict)
  })

  it.each(PROFILES)('%s: the cap lets exactly that many calls through', (profile) => {
    const cap = expected[profile][4]
    expect(verdictOf({ mandate: { profile }, toolCalls: cap - 1 })).toBe('allow')
    expect(verdictOf({ mandate: { profile }, toolCalls: cap })).toBe('ask')
  })

  it('without a profile the loosest holds', () => {
    expect(verdictOf({ risk: 'exec' })).toBe('allow')
    expect(verdictOf({ risk: 'destructive' })).toBe('ask')
  })

  it('the mandate has the last word on the cap, also when it is zero', () => {
    expect(verdictOf({ mandate: { callCap: 0 } })).toBe('ask')
    expect(verdictOf({ mandate: { callCap: 1_000 }, toolCalls: 999 })).toBe('allow')
  })

  it('past the cap, what the profile forbids stays forbidden', () => {
    expect(verdictOf({ mandate: { profile: 'managed' }, risk: 'exec', toolCalls: 1_000 })).toBe('deny')
  })

  it.each<[string, EffectKind, Json, string]>([
    ['a write to memory', 'memory', { op: 'append' }, 'ask'],
    ['a read of memory', 'memory', { op: 'read' }, 'allow'],
    ['a write to a database', 'database', { op: 'write' }, 'ask'],
    ['a query of a database', 'database', { op: 'query' }, 'allow'],
    ['an operation nobody has heard of', 'database', { op: 'vacuum' }, 'ask'],
    ['an operation that is not named', 'database', 'DROP', 'ask'],
    ['an operation named by inheritance', 'memory', Object.create({ op: 'read' }) as Json, 'ask'],
    ['a model call', 'model', {}, 'allow'],
    ['a sleep', 'sleep', 5, 'allow'],
    ['a question', 'question', 'Why?', 'allow'],
    ['a child run', 'agent', {}, 'allow'],
  ])('strict: %s', (_, kind, input, verdict) => {
    expect(verdictOf({ kind, input, facts: { risk: undefined }, mandate: { profile: 'strict' } })).toBe(verdict)
  })

  it('the cap counts tool calls only', () => {
    expect(verdictOf({ kind: 'model', toolCalls: 1_000 })).toBe('allow')
    expect(verdictOf({ kind: 'database', input: { op: 'write' }, toolCalls: 1_000 })).toBe('allow')
  })

  it.each<[string, boolean | ((input: Json) => boolean), string]>([
    ['always', true, 'ask'],
    ['never', false, 'allow'],
    ['for this input', (input) => (input as { q: string }).q === 'x', 'ask'],
    ['for another input', (input) => (input as { q: string }).q === 'y', 'allow'],
    ['with a promise where an answer belongs', (() => Promise.resolve(false)) as never, 'ask'],
  ])('a tool that wants to be approved is: %s', (_, needsApproval, verdict) => {
    expect(verdictOf({ facts: { needsApproval } })).toBe(verdict)
  })
})
