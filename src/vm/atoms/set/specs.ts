import type { Json } from '../../../core/index.ts'
import type { AtomSpec } from '../../port.ts'
import { checkAmount } from '../amount.ts'
import type { AnyAtom, AtomCost } from '../atom.ts'
import type { InlineAtom } from './inline-atom.ts'

/** Atom specifications for the compiler, with the costs of a run. */
export function specsOf(
  atoms: ReadonlyMap<string, AnyAtom>,
  overrides: Readonly<Record<string, AtomCost>> = {},
  context: Readonly<Record<string, unknown>> = {},
): ReadonlyMap<string, AtomSpec> {
  const specs = new Map<string, AtomSpec>()
  for (const atom of atoms.values()) {
    const { op, inline } = atom as AnyAtom & Partial<InlineAtom>
    const given = Object.hasOwn(overrides, op) ? overrides[op]! : (atom.cost as AtomCost)
    specs.set(op, { op, cost: costIn(op, given, context), ...(inline === undefined ? {} : { inline }) })
  }
  return specs
}

/** Checks that a cost function returns a valid amount. */
function costIn(op: string, cost: AtomCost, context: Readonly<Record<string, unknown>>): AtomSpec['cost'] {
  if (typeof cost === 'number') return cost
  const of = cost as (input: Json, ctx: object) => number
  return (input) => checkAmount(of(input, { context }), `The cost of ${op}`)
}
