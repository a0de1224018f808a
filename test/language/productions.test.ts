import { expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import type { Emitter } from '../../src/vm/compile/emitter.ts'
import type { Ex, St } from '../../src/vm/compile/ir.ts'
import type { EmitExpr, EmitStep, Language } from '../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../src/vm/compile/script/index.ts'
import { BUILTIN_RULES } from '../../src/vm/labels/builtin-rules.ts'
import { withLabels } from '../../src/vm/labels/index.ts'
import { ASSIGNMENT_RULES, BINARY_RULES, UNARY_RULES } from '../../src/vm/labels/operator-rules.ts'
import { untrusted } from '../flow/interference/pairs.ts'
import { compileIn, show } from '../flow/interference/running.ts'
import { generateScript } from '../flow/interference/script-generator.ts'
import { generate } from '../differential/generator.ts'
import { LISTED, LISTED_BUILTINS, NODE_PRODUCTIONS } from './productions.ts'

/** A language that notes which nodes and operators it compiles. */
function noting(language: Language, seen: Set<string>): Language {
  const note = (node: Ex | St): void => {
    seen.add(node.k)
    if ('op' in node && ['binary', 'unary', 'logical', 'assign'].includes(node.k)) seen.add(`${node.k} ${node.op}`)
  }
  const exprs = [...language.exprs].map(([kind, emit]): [string, EmitExpr] => [
    kind,
    (node: Ex, emitter: Emitter) => (note(node), emit(node as never, emitter)),
  ])
  const steps = (table: Language['steps']): Map<string, EmitStep> =>
    new Map(
      [...table].map(([kind, emit]): [string, EmitStep] => [
        kind,
        (node: St, emitter: Emitter) => (note(node), emit(node as never, emitter)),
      ]),
    )
  return { ...language, exprs: new Map(exprs), steps: steps(language.steps), resumables: steps(language.resumables) }
}

const SAID: Json = untrusted(3)
/** What is compiled as a part of something else, by the closures around it. */
const UNSEEN = new Set(['spread', 'await', 'function', 'block', 'expr', 'let'])

test('every node, operator and built-in of the language has a production', () => {
  const listed = new Set(LISTED.map(({ of }) => of))
  const operators = [
    ...Object.keys(BINARY_RULES).map((op) => `binary ${op}`),
    ...Object.keys(UNARY_RULES).map((op) => `unary ${op}`),
    ...Object.keys(ASSIGNMENT_RULES).map((op) => `assign ${op}=`),
  ]
  expect(operators.filter((op) => !listed.has(op))).toEqual([])
  expect(LISTED_BUILTINS.map(({ of }) => of)).toEqual([...BUILTIN_RULES.keys()])
})

test(
  'scripts of as many seeds as there are productions have every node and operator',
  { timeout: 60_000 },
  async () => {
    const seen = new Set<string>()
    const language = noting(withLabels(scriptLanguage), seen)
    // Each production comes twice: some programs end before they come to it.
    for (let seed = 0; seed < LISTED.length; seed++) {
      try {
        await show(compileIn(language, generateScript(seed)), SAID)
      } catch {
        // Programs that are refused are counted elsewhere.
      }
    }
    const wanted = Object.entries(NODE_PRODUCTIONS).flatMap(([kind, write]) =>
      typeof write === 'function' && !UNSEEN.has(kind) ? [kind] : [],
    )
    const operators = [
      ...Object.keys(BINARY_RULES).map((op) => `binary ${op}`),
      ...Object.keys(UNARY_RULES).map((op) => `unary ${op}`),
      ...Object.keys(ASSIGNMENT_RULES).map((op) => `assign ${op}`),
    ]
    expect([...wanted, ...operators].filter((one) => !seen.has(one))).toEqual([])
  },
)

test('scripts of as many seeds as there are built-ins call each by its name', () => {
  const text = Array.from({ length: Math.ceil(LISTED_BUILTINS.length / 2) }, (_, seed) => generateScript(seed)).join(
    '\n',
  )
  const isCalled = (path: string): boolean =>
    text.includes(`${path.replace(/^[a-z]\w*(?=\.)/, (owner) => (owner === 'console' ? owner : ''))}(`)
  expect([...BUILTIN_RULES.keys()].filter((path) => !isCalled(path))).toEqual([])
})

test('programs that are compared with JavaScript have every operator and node as well', () => {
  const programs = Array.from({ length: LISTED.length }, (_, seed) => generate(seed).listed)
  expect(new Set(programs.flat())).toEqual(new Set(LISTED.map(({ of }) => of)))
})
