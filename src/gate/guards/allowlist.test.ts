import { describe, expect, it } from 'vitest'
import type { EffectKind } from '../../journal/index.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { viewOf } from '../view.fixture.ts'
import { allowlistGuard } from './allowlist.ts'

function check(mandate: Mandate, name: string, kind: EffectKind = 'tool', facts = {}): unknown {
  return allowlistGuard.check(viewOf({ mandate, name, kind, facts }))
}

describe('the allow list guard', () => {
  it.each<[string, Mandate, string, EffectKind, string | undefined]>([
    ['nothing listed lets everything known through', {}, 'search', 'tool', undefined],
    ['a denied tool', { deny: ['search'] }, 'search', 'tool', 'deny'],
    ['a denied pattern', { deny: ['fs.*'] }, 'fs.delete', 'tool', 'deny'],
    ['a pattern does not match in the middle', { deny: ['s.*'] }, 'fs.delete', 'tool', undefined],
    ['denied beats allowed', { deny: ['search'], allow: ['search'] }, 'search', 'tool', 'deny'],
    ['a tool on the allow list', { allow: ['search'] }, 'search', 'tool', undefined],
    ['a tool that is not on it', { allow: ['search'] }, 'searches', 'tool', 'allow'],
    ['an allowed pattern', { allow: ['kv.*'] }, 'kv.get', 'tool', undefined],
    ['an empty allow list allows no tool', { allow: [] }, 'search', 'tool', 'allow'],
    ['names are compared as they are written', { deny: ['Search'] }, 'search', 'tool', undefined],
    ['a list of tools leaves models alone', { allow: ['search'] }, 'gpt', 'model', undefined],
    ['denying every tool leaves models alone', { deny: ['*'] }, 'gpt', 'model', undefined],
    ['denying every tool', { deny: ['*'] }, 'search', 'tool', 'deny'],
    ['another kind is denied by kind and name', { deny: ['agent:writer'] }, 'writer', 'agent', 'deny'],
    ['a tool of the same name is not', { deny: ['agent:writer'] }, 'writer', 'tool', undefined],
    ['a kind is restricted once it is named', { allow: ['model:small-*'] }, 'large', 'model', 'allow'],
    ['and allows what is named', { allow: ['model:small-*'] }, 'small-1', 'model', undefined],
    ['a tool may be named with its kind', { deny: ['tool:search'] }, 'search', 'tool', 'deny'],
    ['a tool whose name looks like a kind is still denied', { deny: ['memory:save'] }, 'memory:save', 'tool', 'deny'],
  ])('%s', (...[, mandate, name, kind, rule]) => {
    const denial = { verdict: 'deny', code: 'DENIED', rule, reason: expect.any(String) as string }
    expect(check(mandate, name, kind)).toEqual(rule === undefined ? undefined : denial)
  })

  it('what is not safe by default works only when granted, and the message says what to add', () => {
    expect(check({}, 'shell', 'tool', { safeByDefault: false })).toMatchObject({
      verdict: 'deny',
      rule: 'grant',
      reason: expect.stringContaining('Add "shell" to `grant`'),
    })
    expect(check({ allow: ['shell'] }, 'shell', 'tool', { safeByDefault: false })).toMatchObject({ rule: 'grant' })
    expect(check({ grant: ['sh*'] }, 'shell', 'tool', { safeByDefault: false })).toBeUndefined()
    expect(check({ grant: ['shell'], deny: ['shell'] }, 'shell', 'tool', { safeByDefault: false })).toMatchObject({
      rule: 'deny',
    })
    expect(check({}, 'orders', 'database', { safeByDefault: false })).toMatchObject({
      reason: expect.stringContaining('"database:orders"'),
    })
  })

  it('an unknown tool is answered with what there is, and with what was probably meant', () => {
    const facts = { known: false, alternatives: ['fetch', 'kv_get', 'kv_set'] }
    const verdict = check({}, 'kvget', 'tool', facts)
    expect(verdict).toMatchObject({ verdict: 'deny', code: 'TOOL_UNKNOWN', rule: 'unknown' })
    expect(verdict).toMatchObject({
      reason: 'There is no tool "kvget". Did you mean "kv_get"? Available: "fetch", "kv_get", "kv_set".',
    })
  })

  it('alternatives that the mandate forbids are not offered', () => {
    const facts = { known: false, alternatives: ['fetch', 'shell', 'kv_get'] }
    const verdict = check({ deny: ['shell'], allow: ['shell', 'kv*'] }, 'shel', 'tool', facts)
    expect(verdict).toMatchObject({ reason: 'There is no tool "shel". Available: "kv_get".' })
  })

  it('another unknown target is not called a tool', () => {
    expect(check({}, 'writr', 'agent', { known: false, alternatives: ['writer'] })).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'There is no agent "writr". Did you mean "writer"? Available: "writer".',
    })
    expect(check({}, 'x', 'tool', { known: false })).toMatchObject({
      reason: 'There is no tool "x". No tool is available here.',
    })
  })

  it('a name of any length and many alternatives give a message that a model can still read', () => {
    const alternatives = Array.from({ length: 5_000 }, (_, i) => `tool_${i}`)
    const verdict = check({}, 'x'.repeat(1_000_000), 'tool', { known: false, alternatives }) as { reason: string }
    expect(verdict.reason.length).toBeLessThan(600)
    expect(verdict.reason).toContain('and 4980 more')
  })
})
