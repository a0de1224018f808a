import { MandateError } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { AtomSpec } from '../port.ts'
import type { GuestObject } from '../value/guest-object.ts'
import type { Guest } from '../value/guest.ts'
import { AGENT_ATOMS } from './agent-atoms.ts'
import type { AnyAtom, AtomCost } from './atom.ts'
import { CHANCE_ATOMS } from './chance-atoms.ts'
import type { CoreAtoms } from './core-types.ts'
import { checkAmount } from './amount.ts'
import { DATA_ATOMS } from './data-atoms.ts'
import { FLOW_NAMES, FLOW_OPS, flowSchema } from './flow.ts'
import { IO_ATOMS } from './io-atoms.ts'
import { REGEX_ATOM } from './regex-atom.ts'
import { REMEMBERING } from './remembering.ts'

const CORE: readonly AnyAtom[] = [...DATA_ATOMS, REGEX_ATOM, ...CHANCE_ATOMS, ...IO_ATOMS, ...AGENT_ATOMS]

/** The atoms that every machine has, by operation. */
export const coreAtoms: CoreAtoms = Object.freeze(
  Object.fromEntries(CORE.map((atom) => [atom.op, atom])),
) as unknown as CoreAtoms

/** Names that are taken by the language and its builder. */
const RESERVED: ReadonlySet<string> = new Set([
  ...FLOW_NAMES,
  ...REMEMBERING.map(({ op }) => op),
  ...['take', 'args', 'val', 'as', 'step', 'toJSON', 'steps', 'chain', 'then', 'constructor'],
])

/** The atoms of a machine: the core's, and the host's own, which may replace them. */
export function atomsWith(custom: Readonly<Record<string, AnyAtom>> = {}): ReadonlyMap<string, AnyAtom> {
  const atoms = new Map(CORE.map((atom) => [atom.op, atom]))
  for (const [name, atom] of Object.entries(custom)) {
    if (typeof atom !== 'object' || atom === null || typeof atom.exec !== 'function' || typeof atom.op !== 'string')
      throw new MandateError(
        'CONFIG_INVALID',
        `"${name}" is not an atom. Make it with defineAtom(op, input, output, exec).`,
      )
    if (RESERVED.has(atom.op))
      throw new MandateError(
        'CONFIG_INVALID',
        `An atom cannot be called "${atom.op}": that is a word of the language. Choose another name.`,
      )
    atoms.set(atom.op, atom)
  }
  return atoms
}

/** What the compiler has to know of each atom, with the costs that hold in a run. */
export function specsOf(
  atoms: ReadonlyMap<string, AnyAtom>,
  overrides: Readonly<Record<string, AtomCost>> = {},
  context: Readonly<Record<string, unknown>> = {},
): ReadonlyMap<string, AtomSpec> {
  const specs = new Map<string, AtomSpec>(REMEMBERING.map((spec) => [spec.op, spec]))
  for (const atom of atoms.values()) {
    const { op, inline } = atom as AnyAtom & { readonly inline?: (input: GuestObject) => Guest }
    const given = Object.hasOwn(overrides, op) ? overrides[op]! : (atom.cost as AtomCost)
    specs.set(op, { op, cost: costIn(op, given, context), ...(inline === undefined ? {} : { inline }) })
  }
  return specs
}

/** A cost that is a function must give an amount, like anyone. */
function costIn(op: string, cost: AtomCost, context: Readonly<Record<string, unknown>>): AtomSpec['cost'] {
  if (typeof cost === 'number') return cost
  const of = cost as (input: Json, ctx: object) => number
  return (input) => checkAmount(of(input, { context }), `The cost of ${op}`)
}

/** A tool as models are told about it, in the shape that most of them take. */
export interface ToolDescription {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonObject }
}

/** Describes operations for models that write programs: all, those of the language, or some by name. */
export function describeTools(
  atoms: ReadonlyMap<string, AnyAtom>,
  which: 'all' | 'flow' | readonly string[],
): readonly ToolDescription[] {
  const flow = FLOW_OPS.map((op) => described(op.op, op.docs, flowSchema(op)))
  const own = [...atoms.values()].map((atom) => described(atom.op, atom.docs, atom.inputSchema))
  if (which === 'flow') return flow
  const all = [...flow, ...own]
  return which === 'all' ? all : all.filter((tool) => which.includes(tool.function.name))
}

function described(name: string, description: string, parameters: JsonObject): ToolDescription {
  return { type: 'function', function: { name, description, parameters } }
}
