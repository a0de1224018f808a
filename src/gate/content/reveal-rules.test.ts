import { describe, expect, it, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { checkMandate } from '../index.ts'
import { revealChoices } from './reveal-rules.ts'
import type { Mandate } from '../index.ts'

const KEY = '[secret:github-token#0123456789ab]'
const MAIL = '[pii:email#ba9876543210]'

type Facts = { readonly reveals?: readonly string[]; readonly takesTokens?: boolean }

function choices(input: Json, mandates: readonly Mandate[], more: Facts = {}, vaulted = true): string[] {
  const facts = { known: true, worst: {}, ...more }
  const call = { effect: { kind: 'tool' as const, name: 'http_post', input }, input, facts, vaulted }
  return revealChoices(call, mandates.map(checkMandate)).map(({ pointer, then, rule }) => `${pointer} ${then} ${rule}`)
}

describe('without a matching rule', () => {
  it('a human is asked about a secret; a token of personal data stops the call of a tool that does not declare it', () => {
    const input = { token: `Bearer ${KEY}`, to: [MAIL, 'x'] }
    expect(choices(input, [])).toEqual(['/token ask secret', '/to/0 deny token'])
    expect(choices(input, [], { reveals: ['pii:*'] })).toEqual(['/token ask secret', '/to/0 allow pii'])
    expect(choices(input, [], { reveals: ['pii:phone'] })).toEqual(['/token ask secret', '/to/0 deny token'])
  })

  it('a tool that takes tokens gets them as they are, and what it declares that it needs', () => {
    const input = { token: KEY, to: MAIL, old: '[secret:password]', handle: { $secret: 'KEY' } }
    const kept = ['/token keep token', '/old keep token', '/handle ask secret']
    expect(choices(input, [], { takesTokens: true }).toSorted()).toEqual([...kept, '/to keep token'].toSorted())
    expect(choices(input, [], { takesTokens: true, reveals: ['pii:email'] }).toSorted()).toEqual(
      [...kept, '/to allow pii'].toSorted(),
    )
  })

  it('without a vault every token stops the call, and handles are as the performer resolves them', () => {
    const input = { token: KEY, to: MAIL, handle: { $secret: 'KEY' } }
    expect(choices(input, [], { reveals: ['pii:*'] }, false)).toEqual(['/token deny token', '/to deny token'])
    const allowed = [{ reveal: [{ id: 'all', sink: '*', labels: ['secret:*', 'pii:*'] }] }]
    expect(choices(input, allowed, {}, false)).toEqual(['/token deny token', '/to deny token'])
    const kept = [{ reveal: [{ id: 'all', sink: '*', labels: ['secret:*', 'pii:*'], then: 'keep' as const }] }]
    expect(choices(input, kept, {}, false)).toEqual(['/token keep all', '/to keep all'])
  })

  it('a tool cannot say that it needs secrets', () => {
    expect(choices({ token: KEY }, [], { reveals: ['secret:*'] })).toEqual(['/token ask secret'])
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
  [
    'a token that no vault can turn back stops the call, wherever it is',
    {
      a: '[secret:password] [secret:github-token#3fa9c1]',
      '[pii:email]': 1,
      url: 'https://api.example/?p=%5Bsecret%3Apassword%5D',
      auth: `Basic ${btoa('me:[secret:password]')}`,
      hex: '5b7365637265743a70617373776f72645d',
    },
    [],
    [
      '/a deny token',
      '/a deny token',
      '/[pii:email] deny token',
      '/url deny token',
      '/auth deny token',
      '/hex deny token',
    ],
  ],
  ['what only looks like one does not', { a: '[secret: the door] [secret:] [pii] secret:password' }, [], []],
])('rules: %s', (_, input, mandates, expected) => {
  expect(choices(input, mandates)).toEqual(expected)
})

test('a question to a client never gets a value, and no token in place of one', () => {
  const mandates = [{ reveal: [{ id: 'x', sink: '*', labels: ['secret:*'] }] }]
  const input = { text: 'Carry out "fill"', input: { password: KEY, handle: { $secret: 'KEY' } } }
  const effect = { kind: 'question', name: 'fill', input } as const
  const ofClient = { effect, input, facts: { known: true, worst: {} }, vaulted: true }
  expect(revealChoices(ofClient, mandates)).toMatchObject([{ pointer: '/input/password', then: 'deny' }])
  const ofPerson = { ...ofClient, facts: { ...ofClient.facts, takesTokens: true } }
  expect(revealChoices(ofPerson, mandates)).toMatchObject([{ pointer: '/input/password', then: 'keep' }])
})

test('only tools get values', () => {
  for (const kind of ['model', 'agent', 'memory', 'database', 'program'] as const) {
    const call = {
      effect: { kind, name: 'x', input: KEY },
      input: KEY,
      facts: { known: true, worst: {} },
      vaulted: true,
    }
    expect(revealChoices(call, [{ reveal: [{ id: 'x', sink: '*', labels: ['secret:*'] }] }])).toEqual([])
  }
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
