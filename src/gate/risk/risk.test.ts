import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../core/index.ts'
import type { EffectKind } from '../../journal/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk } from '../../tool/index.ts'
import type { Mandate } from '../mandate/mandate.ts'
import { resolveRisk } from './risk.ts'
import { riskRank } from './risk.ts'
import { EFFECT_KINDS } from '../rules/targets.ts'

interface Case {
  readonly kind?: EffectKind
  readonly name?: string
  readonly input?: Json
  readonly says?: Risk | undefined
  readonly declared?: Risk | undefined
  readonly risks?: Mandate['risks']
}

function risk({ kind = 'tool', name = 'tidy', input = {}, says, declared, risks }: Case): Risk {
  const intent =
    declared === undefined ? undefined : { toolName: name, purpose: '', expectedOutcome: '', riskLevel: declared }
  return resolveRisk({ kind, name, input, intent }, { known: true, risk: says, worst: {} }, { risks })
}

describe('the risk of an effect', () => {
  it.each<[string, Case, Risk]>([
    ['a tool that says nothing runs something', {}, 'exec'],
    ['a tool is what it says', { says: 'write' }, 'write'],
    ['a name that says more than the tool', { name: 'deleteFile', says: 'read' }, 'destructive'],
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
