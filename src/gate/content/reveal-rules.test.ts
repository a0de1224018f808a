import { describe, expect, it, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { checkMandate, revealChoices, revealGuard } from '../index.ts'
import type { Mandate } from '../index.ts'
import { viewOf } from '../view.fixture.ts'

const KEY = '[secret:github-token#0123456789ab]'
const MAIL = '[pii:email#ba9876543210]'

function choices(input: Json, mandates: readonly Mandate[], reveals?: readonly string[], name = 'http_post'): string[] {
  const facts = { known: true, worst: {}, reveals }
  const call = { effect: { kind: 'tool' as const, name, input }, input, facts }
  return revealChoices(call, mandates.map(checkMandate)).map(({ pointer, then, rule }) => `${pointer} ${then} ${rule}`)
}

describe('without a matching rule', () => {
  it('a human is asked about a secret; personal data stays a token, except for tools that declare they need it', () => {
    const input = { token: `Bearer ${KEY}`, to: [MAIL, 'x'] }
    expect(choices(input, [])).toEqual(['/token ask secret', '/to/0 keep pii'])
    expect(choices(input, [], ['pii:*'])).toEqual(['/token ask secret', '/to/0 allow pii'])
    expect(choices(input, [], ['pii:phone'])).toEqual(['/token ask secret', '/to/0 keep pii'])
  })

  it('a tool cannot say that it needs secrets', () => {
    expect(choices({ token: KEY }, [], ['secret:*'])).toEqual(['/token ask secret'])
  })
})

const url = 'https://api.example/x'
const host = { at: '/url', hosts: ['api.example'] }

test.each<[string, Json, readonly Mandate[], string[]]>([
  [
    'the first that fits decides',
    { a: KEY },
    [
      {
        reveal: [
          { id: 'x', sink: 'mail', labels: ['secret:*'] },
          { id: 'y', sink: 'http_*', labels: ['secret:github-token'], then: 'keep' },
          { id: 'z', sink: '*', labels: ['secret:*'] },
        ],
      },
    ],
    ['/a keep y'],
  ],
  [
    'only at its path',
    { a: KEY, headers: { auth: KEY } },
    [{ reveal: [{ id: 'h', sink: '*', path: '/headers/*', labels: ['secret:*'] }] }],
    ['/a ask secret', '/headers/auth allow h'],
  ],
  [
    'only to a known place',
    { url, a: KEY },
    [{ reveal: [{ id: 'h', sink: '*', labels: ['secret:*'], where: host }] }],
    ['/a allow h'],
  ],
  [
    'not to another',
    { url: 'https://evil.example/x', a: KEY },
    [{ reveal: [{ id: 'h', sink: '*', labels: ['secret:*'], where: host }] }],
    ['/a ask secret'],
  ],
  [
    'not where a token stands before the host',
    { url: `https://u:${KEY}@api.example/`, a: KEY },
    [{ reveal: [{ id: 'h', sink: '*', labels: ['secret:*'], where: host }] }],
    ['/url ask secret', '/a ask secret'],
  ],
  [
    'the exception of a flow rule is one',
    { url, a: KEY },
    [{ flow: [{ id: 'f', sink: 'http_*', forbid: ['secret:*'], unless: host }] }],
    ['/a allow f'],
  ],
  [
    'a flow rule without an exception is none',
    { url, a: KEY },
    [{ flow: [{ id: 'f', sink: 'http_*', forbid: ['secret:*'] }] }],
    ['/a ask secret'],
  ],
  [
    'of several mandates the strictest',
    { a: KEY },
    [
      { reveal: [{ id: 'own', sink: '*', labels: ['secret:*'] }] },
      { reveal: [{ id: 'host', sink: '*', labels: ['secret:*'], then: 'deny' }] },
    ],
    ['/a deny host'],
  ],
  [
    'a silent mandate says nothing against it',
    { a: KEY },
    [{}, { reveal: [{ id: 'host', sink: '*', labels: ['secret:*'] }] }, {}],
    ['/a allow host'],
  ],
  [
    'handles count like tokens',
    { a: { $secret: 'KEY' } },
    [{ reveal: [{ id: 'k', sink: '*', labels: ['secret:KEY'] }] }],
    ['/a allow k'],
  ],
  ['tokens without a number of a vault are text', { a: '[secret:password] [secret:github-token#3fa9c1]' }, [], []],
])('rules: %s', (_, input, mandates, expected) => {
  expect(choices(input, mandates)).toEqual(expected)
})

test('only tools get values', () => {
  for (const kind of ['model', 'agent', 'memory', 'database', 'program'] as const) {
    const call = { effect: { kind, name: 'x', input: KEY }, input: KEY, facts: { known: true, worst: {} } }
    expect(revealChoices(call, [{ reveal: [{ id: 'x', sink: '*', labels: ['secret:*'] }] }])).toEqual([])
  }
})

test('that a value goes out is in the record, with the rule that lets it', () => {
  const mandate = checkMandate({ reveal: [{ id: 'yes', sink: 'send', labels: ['secret:*'] }] })
  const view = viewOf({ name: 'send', input: { a: KEY } })
  expect(revealGuard([mandate]).check(view)).toMatchObject({
    verdict: 'allow',
    rule: 'yes',
    reason: `send gets the value behind ${KEY} (at /a).`,
  })
  expect(revealGuard([{}]).check(viewOf({ name: 'send', input: { a: 'x' } }))).toBeUndefined()
})

test.each<[string, unknown]>([
  ['is no list', {}],
  ['has no id', [{ sink: 'x', labels: ['secret:*'] }]],
  [
    'has two rules of one name',
    [
      { id: 'a', sink: 'x', labels: ['pii:*'] },
      { id: 'a', sink: 'y', labels: ['pii:*'] },
    ],
  ],
  ['is about labels that no vault keeps', [{ id: 'a', sink: 'x', labels: ['untrusted:*'] }]],
  ['has a verdict that is none', [{ id: 'a', sink: 'x', labels: ['pii:*'], then: 'maybe' }]],
  ['has a path that is none', [{ id: 'a', sink: 'x', path: 'to', labels: ['pii:*'] }]],
  ['has a place without anything known', [{ id: 'a', sink: 'x', labels: ['pii:*'], where: { at: '/url' } }]],
  ['has a field that is none', [{ id: 'a', sink: 'x', labels: ['pii:*'], unless: host }]],
])('a `reveal` that %s is refused', (_, reveal) => {
  expect(() => checkMandate({ reveal })).toThrow(/reveal/u)
})
