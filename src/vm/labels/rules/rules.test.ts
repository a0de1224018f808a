import { expect, test } from 'vitest'
import { CORE } from '../../compile/core.ts'
import { ASSIGNMENT_OPERATORS, LOGICAL_OPERATORS, UNARY_OPERATORS } from '../../compile/operators.ts'
import { scriptLanguage } from '../../compile/script/index.ts'
import { withLabels } from '../index.ts'
import { ASSIGNMENT_RULES, BINARY_RULES, UNARY_RULES } from './operator-rules.ts'
import { EXPRESSION_RULES, STATEMENT_RULES } from './rules.ts'

const LANGUAGES = [
  ['JSON programs', CORE],
  ['scripts', scriptLanguage],
] as const

test.each(LANGUAGES)('every node that %s are compiled from has a label rule', (_, language) => {
  const kinds = [...language.exprs.keys()].filter((kind) => !Object.hasOwn(EXPRESSION_RULES, kind))
  const steps = [...language.steps.keys(), ...language.resumables.keys()]
  expect([...kinds, ...steps.filter((kind) => !Object.hasOwn(STATEMENT_RULES, kind))]).toEqual([])
})

test.each(LANGUAGES)('every rule that is a closure is the one that %s with labels use', (_, language) => {
  const labelled = withLabels(language)
  for (const [kind, emit] of language.exprs)
    expect([kind, labelled.exprs.get(kind) === emit]).toEqual([
      kind,
      typeof EXPRESSION_RULES[kind as keyof typeof EXPRESSION_RULES] !== 'function',
    ])
  for (const table of ['steps', 'resumables'] as const)
    for (const [kind, emit] of language[table])
      expect([kind, labelled[table].get(kind) === emit]).toEqual([
        kind,
        typeof STATEMENT_RULES[kind as keyof typeof STATEMENT_RULES] !== 'function',
      ])
})

test('every operator has a label rule', () => {
  expect([...scriptLanguage.operations.keys()].sort()).toEqual(Object.keys(BINARY_RULES).sort())
  expect(Object.keys(UNARY_RULES).sort()).toEqual([...UNARY_OPERATORS].sort())
  expect(Object.keys(ASSIGNMENT_RULES).sort()).toEqual([...ASSIGNMENT_OPERATORS].sort())
  const choosing = ASSIGNMENT_OPERATORS.filter((op) => ASSIGNMENT_RULES[op] === 'chooses')
  expect(choosing).toEqual(LOGICAL_OPERATORS)
})
