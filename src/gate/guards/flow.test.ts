import { describe, expect, it } from 'vitest'
import type { EffectLabels, Json } from '../../core/index.ts'
import { checkMandate } from '../mandate/check-mandate.ts'
import type { FlowRule } from '../content/flow-rules.ts'
import { viewOf } from '../view.fixture.ts'
import type { ViewParts } from '../view.fixture.ts'
import { flowGuard } from './flow.ts'

const RECIPIENT: FlowRule = { id: 'recipient', sink: 'send_email', path: ['/to', '/cc'], forbid: ['untrusted:*'] }
const SECRETS: FlowRule = {
  id: 'secrets',
  sink: 'http_*',
  forbid: ['secret:*'],
  unless: { at: '/url', hosts: ['api.example', '*.corp.example'] },
}
const EXEC: FlowRule = { id: 'exec', sink: '*', riskMin: 'exec', forbid: ['untrusted:*'], then: 'ask' }

function verdict(
  rule: FlowRule | readonly FlowRule[],
  name: string,
  input: Json,
  labels?: EffectLabels,
  more: ViewParts = {},
) {
  const mandate = checkMandate({ flow: [rule].flat() })
  const view = viewOf({ name, input, mandate, ...more, effect: { labels, ...more.effect } })
  return flowGuard.check(view) as { verdict: string; rule?: string; reason: string } | undefined
}

const NESTED: FlowRule = { ...RECIPIENT, path: '/people/*/mail' }

/** Labels of a mind that follows single values, and what is not there with them. */
function fine(at: { readonly [pointer: string]: readonly string[] }): EffectLabels {
  return { at, pc: [], coversAbsent: true }
}

const WEB = ['untrusted:web']
const CLEAN_MAIL = { to: 'a', cc: 'b' }
const MAIL = { to: 'ana@corp.example', body: 'hi' }

const CASES: readonly [string, FlowRule, string, Json, EffectLabels | undefined, 'deny' | 'ask' | undefined][] = [
  ['no labels at all', RECIPIENT, 'send_email', MAIL, undefined, undefined],
  ['an empty set', RECIPIENT, 'send_email', MAIL, [], undefined],
  ['one set for all', RECIPIENT, 'send_email', MAIL, WEB, 'deny'],
  ['the bare kind', RECIPIENT, 'send_email', MAIL, ['untrusted'], 'deny'],
  ['another kind', RECIPIENT, 'send_email', MAIL, ['pii'], undefined],
  ['a kind that only begins alike', RECIPIENT, 'send_email', MAIL, ['untrusted-ish'], undefined],
  ['another tool', RECIPIENT, 'send_note', MAIL, WEB, undefined],
  ['nothing at the path', RECIPIENT, 'send_email', { body: 'hi' }, WEB, undefined],
  ['null at the path', RECIPIENT, 'send_email', { to: null }, WEB, undefined],
  ['a labelled null', RECIPIENT, 'send_email', { to: null }, fine({ '/to': WEB }), 'deny'],
  ['a labelled member that is not shown', RECIPIENT, 'send_email', { body: 'hi' }, fine({ '/cc': WEB }), 'deny'],
  ['members that labelled data names', RECIPIENT, 'send_email', { to: 'a' }, fine({ '': WEB, '/to': [] }), 'deny'],
  [
    'the same where all are named',
    RECIPIENT,
    'send_email',
    CLEAN_MAIL,
    fine({ '': WEB, '/to': [], '/cc': [] }),
    undefined,
  ],
  ['nothing in a clean object', RECIPIENT, 'send_email', { body: 'hi' }, fine({ '/body': WEB }), undefined],
  ['a labelled null on the way', NESTED, 'send_email', { people: null }, fine({ '/people': WEB }), 'deny'],
  ['a list that labelled data left empty', NESTED, 'send_email', { people: [] }, fine({ '/people': WEB }), 'deny'],
  ['an empty list of our own', NESTED, 'send_email', { people: [] }, fine({ '/body': WEB }), undefined],
  ['no member of a labelled item', NESTED, 'send_email', { people: [{}] }, fine({ '/people/0': WEB }), 'deny'],
  ['the second path', RECIPIENT, 'send_email', { cc: ['x'] }, WEB, 'deny'],
  ['a clean recipient', RECIPIENT, 'send_email', MAIL, { at: { '': WEB, '/to': [] } }, undefined],
  ['a labelled recipient', RECIPIENT, 'send_email', MAIL, { at: { '/to': WEB } }, 'deny'],
  ['a labelled body', RECIPIENT, 'send_email', MAIL, { at: { '/body': WEB } }, undefined],
  [
    'one labelled item of a list',
    RECIPIENT,
    'send_email',
    { cc: ['a', 'b'] },
    { at: { '/cc/0': [], '/cc/1': WEB } },
    'deny',
  ],
  ['labelled control of a clean value', RECIPIENT, 'send_email', MAIL, { at: { '/to': [] }, pc: WEB }, undefined],
  [
    'the same where control counts',
    { ...RECIPIENT, control: true },
    'send_email',
    MAIL,
    { at: { '/to': [] }, pc: WEB },
    'deny',
  ],
  [
    'every member',
    { ...RECIPIENT, path: '/people/*/mail' },
    'send_email',
    { people: [{ mail: 'a' }, { mail: 'b' }] },
    { at: { '/people/1/mail': WEB } },
    'deny',
  ],
  [
    'a text where an object was expected',
    { ...RECIPIENT, path: '/to/mail' },
    'send_email',
    { to: 'a' },
    { at: { '/to': WEB } },
    'deny',
  ],
  [
    'a list where an object was expected',
    { ...RECIPIENT, path: '/to/mail' },
    'send_email',
    { to: [{ mail: 'a' }] },
    WEB,
    'deny',
  ],
  [
    'a name with a slash',
    { ...RECIPIENT, path: '/a~1b' },
    'send_email',
    { 'a/b': 'x' },
    { at: { '/a~1b': WEB } },
    'deny',
  ],
  ['a member of every object', { ...RECIPIENT, path: '/constructor' }, 'send_email', {}, WEB, undefined],
  ['a secret to a known host', SECRETS, 'http_fetch', { url: 'https://api.example/x' }, ['secret:KEY'], undefined],
  ['a secret below a known host', SECRETS, 'http_fetch', { url: 'https://a.corp.example/' }, ['secret'], undefined],
  ['a secret elsewhere', SECRETS, 'http_fetch', { url: 'https://evil.example/' }, ['secret:KEY'], 'deny'],
  ['a host in the user part', SECRETS, 'http_fetch', { url: 'https://api.example@evil.example/' }, ['secret'], 'deny'],
  ['a host as a prefix', SECRETS, 'http_fetch', { url: 'https://api.example.evil.example/' }, ['secret'], 'deny'],
  ['a known host in the clear', SECRETS, 'http_fetch', { url: 'http://api.example/' }, ['secret'], 'deny'],
  ['no URL', SECRETS, 'http_fetch', { url: 'api.example' }, ['secret'], 'deny'],
  ['nothing where the URL should be', SECRETS, 'http_fetch', {}, ['secret'], 'deny'],
  ['a list of URLs', SECRETS, 'http_fetch', { url: ['https://api.example/'] }, ['secret'], 'deny'],
  [
    'a known text',
    { ...RECIPIENT, unless: { at: '/to', values: ['ana@corp.example'] } },
    'send_email',
    MAIL,
    WEB,
    undefined,
  ],
  [
    'an unknown text',
    { ...RECIPIENT, unless: { at: '/to', values: ['ana@corp.example'] } },
    'send_email',
    { to: 'Ana@corp.example' },
    WEB,
    'deny',
  ],
  [
    'a handle to a known host',
    SECRETS,
    'http_fetch',
    { url: 'https://api.example/', headers: { a: { $secret: 'KEY' } } },
    undefined,
    undefined,
  ],
  [
    'a handle elsewhere',
    SECRETS,
    'http_fetch',
    { url: 'https://evil.example/', headers: { a: { $secret: 'KEY' } } },
    undefined,
    'deny',
  ],
  [
    'a handle at another path',
    { ...SECRETS, path: '/body', unless: undefined },
    'http_fetch',
    { body: 1, headers: { a: { $secret: 'KEY' } } },
    undefined,
    undefined,
  ],
  ['exec by its risk', EXEC, 'run_code', { code: '1' }, WEB, 'ask'],
  ['a clean value under labelled control', EXEC, 'run_code', { code: '1' }, { at: { '/code': [] }, pc: WEB }, 'ask'],
  ['reading', EXEC, 'search', { q: '1' }, WEB, undefined],
]

describe('flow', () => {
  it.each(CASES)('%s', (_, rule, name, input, labels, expected) => {
    const risk = name === 'run_code' ? ('exec' as const) : ('read' as const)
    expect(verdict(rule, name, input, labels, { risk })?.verdict).toBe(expected)
  })

  it('names other targets by their kind', () => {
    const rule: FlowRule = { id: 'out', sink: ['model:cloud/*'], forbid: ['pii'] }
    expect(verdict(rule, 'cloud/big', {}, ['pii'], { kind: 'model' })?.verdict).toBe('deny')
    expect(verdict(rule, 'local/big', {}, ['pii'], { kind: 'model' })).toBeUndefined()
    expect(verdict(rule, 'cloud/big', {}, ['pii'])).toBeUndefined()
  })

  it('lets a denial beat a question, in any order', () => {
    const ask: FlowRule = { id: 'ask', sink: '*', forbid: ['*'], then: 'ask' }
    expect(verdict([ask, RECIPIENT], 'send_email', MAIL, WEB)).toMatchObject({ verdict: 'deny', rule: 'recipient' })
    expect(verdict([RECIPIENT, ask], 'send_email', MAIL, WEB)).toMatchObject({ verdict: 'deny', rule: 'recipient' })
    expect(verdict([ask, RECIPIENT], 'search', MAIL, WEB)).toMatchObject({ verdict: 'ask', rule: 'ask' })
  })

  it('asks about this one call: no approval given ahead lifts it', () => {
    const ask: FlowRule = { id: 'ask', sink: '*', forbid: ['*'], then: 'ask' }
    expect(verdict(ask, 'search', MAIL, WEB)).toMatchObject({ verdict: 'ask', once: true })
  })

  it('says what arrived where, by which rule, and what would change it', () => {
    expect(verdict(RECIPIENT, 'send_email', MAIL, { at: { '/to': ['pii', 'untrusted:web'] } })?.reason).toBe(
      'The rule "recipient" keeps untrusted:* from it: /to of send_email carries untrusted:web. It does not apply to what comes from the user alone.',
    )
    expect(verdict({ ...SECRETS, reason: 'Keys stay here.' }, 'http_get', { url: 'x' }, ['secret'])?.reason).toBe(
      'Keys stay here: what led to this call of http_get carries secret. It does not apply to what comes from the user alone, nor where /url is one of: api.example, *.corp.example.',
    )
  })

  it.each([
    [{ id: '', sink: 'a', forbid: ['x'] }, 'flow[0].id'],
    [{ id: 'a', forbid: ['x'] }, 'flow[0].sink'],
    [{ id: 'a', sink: 'a*b', forbid: ['x'] }, 'flow[0].sink'],
    [{ id: 'a', sink: [], forbid: ['x'] }, 'flow[0].sink'],
    [{ id: 'a', sink: 'a', forbid: [] }, 'flow[0].forbid'],
    [{ id: 'a', sink: 'a', forbid: ['*x'] }, 'flow[0].forbid[0]'],
    [{ id: 'a', sink: 'a', forbid: ['x'], path: 'to' }, 'flow[0].path'],
    [{ id: 'a', sink: 'a', forbid: ['x'], path: '/a~2' }, 'flow[0].path'],
    [{ id: 'a', sink: 'a', forbid: ['x'], control: true }, 'flow[0].control'],
    [{ id: 'a', sink: 'a', forbid: ['x'], path: '/a', control: 1 }, 'flow[0].control'],
    [{ id: 'a', sink: 'a', forbid: ['x'], then: 'allow' }, 'flow[0].then'],
    [{ id: 'a', sink: 'a', forbid: ['x'], riskMin: 'high' }, 'flow[0].riskMin'],
    [{ id: 'a', sink: 'a', forbid: ['x'], reason: 1 }, 'flow[0].reason'],
    [{ id: 'a', sink: 'a', forbid: ['x'], unless: { at: '/url' } }, 'flow[0].unless'],
    [{ id: 'a', sink: 'a', forbid: ['x'], unless: { hosts: ['a.example'] } }, 'flow[0].unless.at'],
    [{ id: 'a', sink: 'a', forbid: ['x'], unless: { at: '/url', hosts: ['A.example'] } }, 'flow[0].unless.hosts[0]'],
    [{ id: 'a', sink: 'a', forbid: ['x'], unless: { at: '/url', hosts: ['a.example:80'] } }, 'flow[0].unless.hosts[0]'],
    [{ id: 'a', sink: 'a', forbid: ['x'], unless: { at: '/url', values: [1] } }, 'flow[0].unless.values[0]'],
    [{ id: 'a', sink: 'a', forbid: ['x'], sinks: 'b' }, 'flow[0].sinks'],
  ])('refuses %j', (rule, field) => {
    expect(() => checkMandate({ flow: [rule] })).toThrow(`mandate.${field}\``)
  })

  it('refuses two rules of one name', () => {
    expect(() => checkMandate({ flow: [RECIPIENT, RECIPIENT] })).toThrow('flow[1].id')
  })
})
