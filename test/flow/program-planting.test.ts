import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import { DATA_ATOMS } from '../../src/vm/atoms/set/data-atoms.ts'
import { CORE } from '../../src/vm/compile/core.ts'
import type { Ex, Input } from '../../src/vm/compile/ir.ts'
import type { St } from '../../src/vm/compile/ir-statements.ts'
import type { Language } from '../../src/vm/compile/language.ts'
import { withLabels } from '../../src/vm/labels/index.ts'
import { violation } from './interference/pairs.ts'
import { withoutExpr, withoutStatement } from './interference/planting.ts'
import {
  ATOM_TRAPS,
  ATOMS_WITHOUT,
  HELPERS,
  PROGRAM_EXPRESSIONS,
  PROGRAM_KINDS_WITHOUT,
  PROGRAM_STATEMENTS,
} from './interference/program-traps.ts'
import { compileProgramIn, show } from './interference/running.ts'

const ONE: Json = { b: true, n: 1, s: 'ab', l: [1, 2], o: { a: 1, b: 1 }, z: null, j: '{"a":1}', m: [1] }
const OTHER: Json = { b: false, n: 0, s: 'b', l: [3], o: { b: 2, d: 2 }, z: { y: [] }, j: '[2]', m: 1 }

async function leak(steps: readonly Json[], language: Language): Promise<string | undefined> {
  const compiled = compileProgramIn(language, { mandate: 1, op: 'seq', helpers: HELPERS, steps })
  const [one, other] = [await show(compiled, ONE, true), await show(compiled, OTHER, true)]
  expect(one.calls.length + other.calls.length).toBeGreaterThan(0)
  return violation(one, other)
}

/** A trap is about a rule if it shows something as soon as that is missing, and nothing before. */
async function expectFound(steps: readonly Json[], without: Language): Promise<void> {
  expect(await leak(steps, withLabels(CORE))).toBeUndefined()
  expect(await leak(steps, without)).toBeDefined()
}

describe('a label rule that is missing in JSON programs is found:', () => {
  test.each(Object.entries(PROGRAM_EXPRESSIONS))('of the expression %s', async (kind, steps) => {
    await expectFound(steps, withoutExpr(kind as Ex['k'], undefined, CORE))
  })

  test.each(Object.entries(PROGRAM_STATEMENTS))('of the statement %s', async (kind, steps) => {
    await expectFound(steps, withoutStatement(kind as St['k'], CORE))
  })

  test.each(Object.entries(ATOM_TRAPS))('of the atom %s', async (op, steps) => {
    const isMeant = (node: Ex): boolean => (node as Input).atom.op === op
    await expectFound(steps, withoutExpr('input', isMeant, CORE))
  })
})

test('every kind of JSON programs has a trap, or a reason why it needs none', () => {
  const kinds = new Set([...CORE.exprs.keys(), ...CORE.steps.keys(), ...CORE.resumables.keys()])
  const known = { ...PROGRAM_EXPRESSIONS, ...PROGRAM_STATEMENTS, ...PROGRAM_KINDS_WITHOUT }
  expect(Object.keys(known).sort()).toEqual([...kinds].sort())
})

test('every atom that computes inside the machine has a trap, or a reason why it needs none', () => {
  const known = [...Object.keys(ATOM_TRAPS), ...Object.keys(ATOMS_WITHOUT)]
  expect(known.sort()).toEqual(DATA_ATOMS.map(({ op }) => op).sort())
})
