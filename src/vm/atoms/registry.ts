import { MandateError } from '../../core/index.ts'
import type { JsonObject } from '../../core/index.ts'
import type { AnyAtom } from './atom.ts'
import type { CoreAtoms } from './set/core-types.ts'
import { DATA_ATOMS } from './set/data-atoms.ts'
import { FLOW_NAMES, FLOW_OPS, flowSchema } from './set/flow.ts'
import { IO_ATOMS } from './set/io-atoms.ts'

const CORE: readonly AnyAtom[] = [...DATA_ATOMS, ...IO_ATOMS]

/** The atoms that every machine has, by operation. */
export const coreAtoms: CoreAtoms = Object.freeze(
  Object.fromEntries(CORE.map((atom) => [atom.op, atom])),
) as unknown as CoreAtoms

/** Names reserved by the language and its builder. */
const RESERVED: ReadonlySet<string> = new Set([
  ...FLOW_NAMES,
  ...['memoGet', 'memoSet', 'cacheGet', 'cacheSet'],
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

/** A tool description for models, in the common format. */
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
