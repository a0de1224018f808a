import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import type { Ex } from '../../src/vm/compile/ir.ts'
import type { St } from '../../src/vm/compile/ir-statements.ts'
import type { Language } from '../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../src/vm/compile/script/index.ts'
import { withLabels } from '../../src/vm/labels/index.ts'
import { EXPRESSION_RULES, STATEMENT_RULES } from '../../src/vm/labels/rules/rules.ts'
import { ASSIGNMENT_RULES, BINARY_RULES, UNARY_RULES } from '../../src/vm/labels/rules/operator-rules.ts'
import { BUILTIN_TRAPS, BUILTINS_WITHOUT } from './interference/builtin-traps.ts'
import { EXPRESSIONS, OPERATORS, STATEMENTS } from './interference/node-traps.ts'
import { violation } from './interference/pairs.ts'
import {
  BUILTIN_PATHS,
  withoutBuiltin,
  withoutExpr,
  withoutOperator,
  withoutStatement,
} from './interference/planting.ts'
import { compileIn, show } from './interference/running.ts'

const ONE: Json = {
  ...{ b: true, n: 1, m: 2.5, s: 'ab', t: ' B ', k: 'a', i: 0, l: [1, 2], o: { a: 1, b: 1 }, z: null },
  ...{ r: 'a', d: 86_400_000, e: 'x%20y' },
}
const OTHER: Json = {
  ...{ b: false, n: 0, m: -0.5, s: 'b', t: 'c', k: 'b', i: 1, l: [3], o: { b: 2, d: 2 }, z: { y: [] } },
  ...{ r: 'b', d: 99_999_999_999, e: 'z' },
}

/** What tells two executions apart in a language. */
async function leak(source: string, language: Language): Promise<string | undefined> {
  const compiled = compileIn(language, `const u = await tools.web({})\n${source}`)
  return violation(await show(compiled, ONE), await show(compiled, OTHER))
}

/** A trap is about a rule if it shows something as soon as that is missing, and nothing before. */
async function expectFound(source: string, without: Language): Promise<void> {
  expect(await leak(source, withLabels(scriptLanguage))).toBeUndefined()
  expect(await leak(source, without)).toBeDefined()
}

/** Kinds whose rule is not missed in scripts, and why. */
const WITHOUT: Readonly<Partial<Record<Ex['k'] | St['k'], string>>> = {
  lit: 'nothing of it comes from elsewhere',
  data: 'nothing of it comes from elsewhere',
  fn: 'what it sees of others is in boxes, which have labels of their own',
  regex: 'nothing of it comes from elsewhere',
  strings: 'nothing of it comes from elsewhere',
  create: 'what `new` was used on labels all that the call gives',
  arg: 'JSON programs alone have it: their traps are those of program-planting.test.ts',
  input: 'JSON programs alone have it: their traps are those of program-planting.test.ts',
  spread: 'the list, object or call around it compiles what is spread',
  await: 'a statement of its own waits: awaitto',
  yield: 'a statement of its own yields: yieldto',
  yieldto: 'what is sent into a generator is noted as having moved it, and what it yields is in the register',
  function: 'what it sees of others is in boxes, which have labels of their own',
  block: 'it only runs what is in it',
  exit: 'the region that it leaves notes it',
  labeled: 'without it what an exit decided leads on for ever: more is labelled',
  throw: 'it only clears the register, without which more is labelled',
  return: 'it only clears the register, without which more is labelled',
  request: 'JSON programs alone have it: their traps are those of program-planting.test.ts',
  append: 'JSON programs alone have it: their traps are those of program-planting.test.ts',
  constset: 'JSON programs alone have it: their traps are those of program-planting.test.ts',
}

describe('a label rule that is missing is found:', () => {
  test.each(Object.entries(EXPRESSIONS))('of the expression %s', async (kind, source) => {
    await expectFound(source, withoutExpr(kind as Ex['k']))
  })

  test.each(Object.entries(STATEMENTS))('of the statement %s', async (kind, source) => {
    await expectFound(source, withoutStatement(kind as St['k']))
  })

  for (const [kind, traps] of Object.entries(OPERATORS))
    test.each(Object.entries(traps))(`of the ${kind} operator "%s"`, async (op, source) => {
      await expectFound(source, withoutOperator(kind as 'binary', op))
    })

  test('of each of the built-ins', { timeout: 120_000 }, async () => {
    const missed: string[] = []
    for (const [path, source] of Object.entries(BUILTIN_TRAPS)) {
      if ((await leak(source, withLabels(scriptLanguage))) !== undefined) missed.push(`${path} leaks`)
      if ((await leak(source, withoutBuiltin(path))) === undefined) missed.push(path)
    }
    expect(missed).toEqual([])
  })
})

describe('the list of what is planted is the list of the language:', () => {
  test('every kind has a trap, or a reason why it needs none', () => {
    const kinds = [...Object.keys(EXPRESSION_RULES), ...Object.keys(STATEMENT_RULES)]
    const known = [...Object.keys(EXPRESSIONS), ...Object.keys(STATEMENTS), ...Object.keys(WITHOUT)]
    expect(known.sort()).toEqual(kinds.sort())
  })

  test('every operator has a trap; `void` gives the same whatever it is given', () => {
    expect(Object.keys(OPERATORS.binary).sort()).toEqual(Object.keys(BINARY_RULES).sort())
    expect([...Object.keys(OPERATORS.unary), 'void'].sort()).toEqual(Object.keys(UNARY_RULES).sort())
    expect(Object.keys(OPERATORS.assign).sort()).toEqual(Object.keys(ASSIGNMENT_RULES).sort())
  })

  test('every built-in has a trap, or a reason why it needs none', () => {
    const known = [...Object.keys(BUILTIN_TRAPS), ...Object.keys(BUILTINS_WITHOUT)]
    expect(known.sort()).toEqual([...BUILTIN_PATHS].sort())
  })

  test('counts', () => {
    const count = (traps: object): number => Object.keys(traps).length
    expect({
      expressions: count(EXPRESSIONS),
      statements: count(STATEMENTS),
      operators: Object.values(OPERATORS).reduce((sum, traps) => sum + count(traps), 0),
      kindsWithout: count(WITHOUT),
    }).toEqual({ expressions: 27, statements: 11, operators: 47, kindsWithout: 21 })
  })
})
