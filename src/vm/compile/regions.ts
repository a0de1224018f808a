import { children } from './children.ts'
import type { Ex, Exit, Fn, St } from './ir.ts'
import type { Variable } from './scope.ts'

/** What a part of a program can do to the rest of it: what data-flow labels of a branch that was not taken need to know. */
export interface Region {
  /** Variables that something inside sets, whether or not it runs. */
  readonly assigned: ReadonlySet<Variable>
  /** Exits that lead out of the region: returns and throws among them. */
  readonly exits: readonly (Exit['kind'] | 'return' | 'throw')[]
  /** Functions made inside, whose calls may set what they took along. */
  readonly functions: readonly Fn[]
  /** Whether anything inside calls a function. */
  readonly hasCalls: boolean
}

/** Looks at a part of a resolved program. Functions inside are listed, not entered. */
export function regionOf(node: Ex | St): Region {
  const assigned = new Set<Variable>()
  const exits: Region['exits'][number][] = []
  const functions: Fn[] = []
  let hasCalls = false
  const visit = (part: Ex | St): void => {
    const variable = assignedBy(part)
    if (variable !== undefined) assigned.add(variable)
    if (part.k === 'fn') return void functions.push(part)
    if (part.k === 'function') return void functions.push(part.fn)
    if (part.k === 'exit') exits.push(part.kind)
    if (part.k === 'return' || part.k === 'throw') exits.push(part.k)
    if (part.k === 'call' || part.k === 'method' || part.k === 'new') hasCalls = true
    for (const child of children(part)) visit(child)
  }
  visit(node)
  return { assigned, exits, functions, hasCalls }
}

function assignedBy(part: Ex | St): Variable | undefined {
  if (part.k === 'let' || part.k === 'forof' || part.k === 'function') return part.variable
  if (part.k !== 'assign' && part.k !== 'update' && part.k !== 'constset' && part.k !== 'request') return undefined
  let target: Ex | undefined = part.target
  // A property that is set counts for the variable that holds the object.
  while (target !== undefined && (target.k === 'member' || target.k === 'index')) target = target.object
  const ref = target?.k === 'var' ? target.ref : undefined
  return ref?.to === 'local' || ref?.to === 'box' ? ref.variable : undefined
}
