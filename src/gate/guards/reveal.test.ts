import { expect, test } from 'vitest'
import { checkMandate } from '../index.ts'
import { viewOf } from '../view.fixture.ts'
import { revealGuard } from './reveal.ts'

const KEY = '[secret:github-token#0123456789ab]'
const MAIL = '[pii:email#ba9876543210]'

test('that a value goes out is in the record, with the rule that lets it', () => {
  const mandate = checkMandate({ reveal: [{ id: 'yes', sink: 'send', labels: ['secret:*'] }] })
  const view = viewOf({ name: 'send', input: { a: KEY }, mandate, vaulted: true })
  expect(revealGuard.check(view)).toMatchObject({
    verdict: 'allow',
    rule: 'yes',
    reason: `send gets the value behind ${KEY} (at /a).`,
  })
  expect(revealGuard.check(viewOf({ name: 'send', input: { a: 'x' }, vaulted: true }))).toBeUndefined()
})

test('a call that would get a token in place of a value is denied, and told what would help', () => {
  const input = { password: '[secret:password]' }
  const reasonOf = (parts: Parameters<typeof viewOf>[0]): string => {
    const verdict = revealGuard.check(viewOf({ name: 'send', input, ...parts }))
    expect(verdict).toMatchObject({ verdict: 'deny', rule: 'token', code: 'DENIED' })
    return (verdict as { readonly reason: string }).reason
  }
  expect(reasonOf({})).toContain('send would get the token [secret:password] (at /password)')
  expect(reasonOf({})).toMatch(/`vault`.*`takesTokens: true`/u)
  expect(reasonOf({ vaulted: true })).toContain('Pass the whole token')
  expect(reasonOf({ vaulted: true, input: { to: MAIL } })).toContain("`reveals: ['pii:email']`")
  expect(reasonOf({ kind: 'question' })).toContain('A client never gets')
})

test('a tool that takes tokens, and every effect that is no call, passes', () => {
  const input = { password: '[secret:password]' }
  expect(revealGuard.check(viewOf({ input, facts: { takesTokens: true } }))).toBeUndefined()
  for (const kind of ['model', 'memory', 'database', 'agent', 'program', 'cell', 'graph'] as const)
    expect(revealGuard.check(viewOf({ kind, input }))).toBeUndefined()
})

test('the strictest of all mandates decides, whichever of them is asked', () => {
  const own = checkMandate({ reveal: [{ id: 'own', sink: '*', labels: ['secret:*'] }] })
  const host = checkMandate({ reveal: [{ id: 'host', sink: '*', labels: ['secret:*'], then: 'deny' }] })
  const view = viewOf({ name: 'send', input: { a: KEY }, mandate: own, mandates: [own, host], vaulted: true })
  expect(revealGuard.check(view)).toMatchObject({ verdict: 'deny', rule: 'host' })
})
