import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { explainRisk, resolveRisk } from './risk.ts'
import { riskRank } from './risk.ts'
import { EFFECT_KINDS } from '../rules/targets.ts'

interface Case {
  readonly kind?: EffectKind
  readonly name?: string
  readonly input?: Json
  readonly says?: Risk | undefined
  readonly isForeign?: boolean
  readonly declared?: Risk | undefined
  readonly risks?: Mandate['risks']
}

function risk({ kind = 'tool', name = 'tidy', input = {}, says, isForeign, declared, risks }: Case): Risk {
  const intent =
    declared === undefined ? undefined : { toolName: name, purpose: '', expectedOutcome: '', riskLevel: declared }
  return resolveRisk({ kind, name, input, intent }, { known: true, risk: says, isForeign, worst: {} }, { risks })
}

describe('the risk of an effect', () => {
  it.each<[string, Case, Risk]>([
    ['a tool that says nothing runs something', {}, 'exec'],
    ['a tool is what it says', { says: 'write' }, 'write'],
    ['a name does not overrule what the author declared', { name: 'reset_view', says: 'read' }, 'read'],
    ['nor one that says more than a write', { name: 'remove_from_cart', says: 'write' }, 'write'],
    ['a name that says more than a stranger', { name: 'deleteFile', says: 'read', isForeign: true }, 'destructive'],
    [
      'an input that says more than a stranger',
      { says: 'read', isForeign: true, input: { query: 'DROP TABLE users' } },
      'destructive',
    ],
    ['words that a reading tool looks for', { says: 'read', input: { query: 'DROP TABLE users' } }, 'read'],
    ['a statement for a reading tool', { says: 'read', input: { sql: 'DROP TABLE users' } }, 'destructive'],
    ['words for a tool that says nothing', { name: 'search', input: { query: 'DROP TABLE users' } }, 'destructive'],
    ['a name that says less than the tool', { name: 'list', says: 'destructive' }, 'destructive'],
    ['a name that speaks for a silent tool', { name: 'list_files' }, 'read'],
    ['an input that says more than the tool', { says: 'exec', input: { command: 'rm -rf /' } }, 'destructive'],
    ['an input never lowers', { name: 'delete_all', input: { path: 'a.txt' } }, 'destructive'],
    ['a declaration of read on delete_all', { name: 'delete_all', declared: 'read' }, 'destructive'],
    ['a declaration raises', { says: 'read', declared: 'destructive' }, 'destructive'],
    ['a declaration does not lower', { says: 'destructive', declared: 'read' }, 'destructive'],
    ['nor does it lower silence', { declared: 'read' }, 'exec'],
    [
      'a declaration of something that is no risk is the worst',
      { says: 'read', declared: 'harmless' as Risk },
      'destructive',
    ],
    ['the host lowers', { says: 'destructive', risks: { tidy: 'read' } }, 'read'],
    ['the host lowers what was declared', { declared: 'destructive', risks: { tidy: 'write' } }, 'write'],
    ['the host raises', { says: 'read', risks: { tidy: 'destructive' } }, 'destructive'],
    ['the host names many', { name: 'fs.remove', risks: { 'fs.*': 'read' } }, 'read'],
    [
      'the longer name counts',
      { name: 'fs.remove', risks: { 'fs.*': 'read', 'fs.re*': 'write', '*': 'exec' } },
      'write',
    ],
    ['the exact name counts most', { risks: { 'tidy*': 'read', tidy: 'write' } }, 'write'],
    ['the host speaks of other tools', { says: 'write', risks: { other: 'read' } }, 'write'],
    ['inherited names are not the host', { name: 'toString', says: 'write', risks: {} }, 'write'],
    ['a store that is written', { kind: 'database', input: { op: 'write' } }, 'write'],
    ['a store that is read', { kind: 'memory', input: { op: 'search' } }, 'read'],
    [
      'the host on a store',
      { kind: 'memory', name: 'notes', input: { op: 'append' }, risks: { 'memory:notes': 'read' } },
      'read',
    ],
    ['a child run', { kind: 'agent' }, 'read'],
    ['a child run that says more', { kind: 'agent', says: 'exec' }, 'exec'],
    ['a model call, whatever is declared', { kind: 'model', declared: 'destructive' }, 'read'],
    ['a sleep', { kind: 'sleep', says: 'exec' }, 'read'],
    ['a question', { kind: 'question' }, 'read'],
  ])('%s', (_, given, expected) => {
    expect(risk(given)).toBe(expected)
  })

  it('says why it is what it is, and where a declaration deserves a second look', () => {
    const finding = (name: string, says?: Risk) =>
      explainRisk({ kind: 'tool', name, input: {} }, { known: true, risk: says, worst: {} }, {})
    expect(finding('remove_user')).toEqual({
      risk: 'destructive',
      why: 'its name or description says so: give the tool a `risk` if it is another',
    })
    expect(finding('tidy').why).toContain('nothing is declared of it')
    expect(finding('reset_view', 'read')).toEqual({
      risk: 'read',
      why: 'its definition declares it',
      review:
        'It is declared "read", and its name or description suggests "destructive": look whether the declaration is right.',
    })
  })

  it('no declaration ever lowers it', () => {
    const anyRisk = fc.constantFrom(...RISKS)
    fc.assert(
      fc.property(
        fc.constantFrom(...EFFECT_KINDS),
        fc.option(anyRisk, { nil: undefined }),
        anyRisk,
        (kind, says, declared) => {
          expect(riskRank(risk({ kind, says, declared }))).toBeGreaterThanOrEqual(riskRank(risk({ kind, says })))
        },
      ),
    )
  })
})
