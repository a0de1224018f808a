import { expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import type { Emitter } from '../../src/vm/compile/emit/emitter.ts'
import type { Ex } from '../../src/vm/compile/ir.ts'
import type { St } from '../../src/vm/compile/ir-statements.ts'
import type { EmitExpr, EmitStep, Language } from '../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../src/vm/compile/script/index.ts'
import { BUILTIN_RULES } from '../../src/vm/labels/rules/builtin-rules.ts'
import { withLabels } from '../../src/vm/labels/index.ts'
import { ASSIGNMENT_RULES, BINARY_RULES, UNARY_RULES } from '../../src/vm/labels/rules/operator-rules.ts'
import { untrusted } from '../flow/interference/pairs.ts'
import { scriptBuiltins } from '../../src/vm/builtins/index.ts'
import { compileIn, show } from '../flow/interference/running.ts'
import { generateScript } from '../flow/interference/script-generator.ts'
import { generate } from '../differential/generator.ts'
import { runScript } from '../differential/own-engine.ts'
import { wrap } from '../differential/prelude.ts'
import { isSweep, rotate } from '../rotation.ts'
import { BuiltinFunction } from '../../src/vm/value/builtin-function.ts'
import { COMPARED_BUILTINS, LISTED, LISTED_BUILTINS, NODE_PRODUCTIONS, NOT_COMPARED, listedFor } from './productions.ts'

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
const UNSEEN = new Set(['spread', 'await', 'yield', 'function', 'block', 'expr', 'let'])

test.skipIf(isSweep)('every node, operator and built-in of the language has a production', () => {
  const listed = new Set(LISTED.map(({ of }) => of))
  const operators = [
    ...Object.keys(BINARY_RULES).map((op) => `binary ${op}`),
    ...Object.keys(UNARY_RULES).map((op) => `unary ${op}`),
    ...Object.keys(ASSIGNMENT_RULES).map((op) => `assign ${op}=`),
  ]
  expect(operators.filter((op) => !listed.has(op))).toEqual([])
  expect(LISTED_BUILTINS.map(({ of }) => of)).toEqual([...BUILTIN_RULES.keys()])
})

// What generated programs have: in the sweep, with most of the programs.
test.runIf(isSweep)(
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

/** Notes every built-in that does its work to the end while `work` runs. */
async function finished(work: (seen: ReadonlySet<string>) => Promise<void>): Promise<Set<string>> {
  const seen = new Set<string>()
  const undo: (() => void)[] = []
  const note = (holder: object, name: string, path: string): void => {
    const own = (holder as Record<string, unknown>)[name]
    if (typeof own !== 'function') return
    const noted = function (this: unknown, ...args: unknown[]): unknown {
      const made: unknown = own.apply(this, args)
      seen.add(path)
      return made
    }
    Object.defineProperty(holder, name, { value: noted, configurable: true, writable: true })
    undo.push(() => Object.defineProperty(holder, name, { value: own, configurable: true, writable: true }))
  }
  const visit = (value: unknown): void => {
    if (!(value instanceof BuiltinFunction)) return
    for (const name of ['call', 'none', 'one', 'two']) if (value.builtin) note(value.builtin, name, value.path)
    note(value, 'construct', value.path)
    for (const member of value.members?.values() ?? []) visit(member)
  }
  for (const methods of scriptBuiltins.methods.values()) for (const method of methods.values()) visit(method)
  for (const value of scriptBuiltins.globals.values()) visit(value)
  try {
    await work(seen)
  } finally {
    for (const one of undo) one()
  }
  return seen
}

const EVERY = [...BUILTIN_RULES.keys()]
const without = (all: readonly string[], some: ReadonlySet<string>): string[] => all.filter((path) => !some.has(path))
/** Each comes this often in a block of seeds: some programs end before they come to it, or are refused for something else. */
const ROUNDS = 8

test.runIf(isSweep)('scripts of a block of seeds call every built-in', { timeout: 60_000 }, async () => {
  const wanted = without(EVERY, new Set(['function.bind', 'Function', 'AbortSignal']))
  const seen = await finished(async (met) => {
    for (let seed = 0; seed < (ROUNDS / 2) * LISTED_BUILTINS.length; seed++) {
      if (listedFor(seed, 2, LISTED_BUILTINS).every(({ of }) => met.has(of))) continue
      try {
        await show(compileIn(scriptLanguage, generateScript(seed)), SAID)
      } catch {
        // Programs that are refused are counted elsewhere.
      }
    }
  })
  expect(without(wanted, seen)).toEqual([])
})

test.runIf(isSweep)('so do programs that are compared with JavaScript', { timeout: 60_000 }, async () => {
  const wanted = rotate(without(EVERY, new Set(Object.keys(NOT_COMPARED))), 'built-ins in compared programs')
  const together = 10
  const seen = await finished(async (met) => {
    for (let seed = 0; seed < ROUNDS * COMPARED_BUILTINS.length; seed += together) {
      const programs = Array.from({ length: together }, (_, one) => generate(seed + one))
      const unmet = programs.filter(({ listed }) => wanted.includes(listed[0]!) && !met.has(listed[0]!))
      if (unmet.length > 0) await runScript(wrap(unmet))
    }
  })
  expect(without(wanted, seen)).toEqual([])
  expect(Object.keys(NOT_COMPARED).filter((path) => !BUILTIN_RULES.has(path))).toEqual([])
})

test.skipIf(isSweep)('programs that are compared with JavaScript have every operator and node as well', () => {
  const programs = Array.from({ length: LISTED.length }, (_, seed) => generate(seed).listed)
  const missing = LISTED.filter(({ of }) => !programs.flat().includes(of))
  expect(missing.map(({ of }) => of)).toEqual([])
})
