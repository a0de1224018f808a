import { children } from '../compile/children.ts'
import type { Unit } from '../compile/emitter.ts'
import type { Ex, St } from '../compile/ir.ts'
import { METHOD_NAMES } from './builtin-flows.ts'
import { mayBeFunction } from './nodes.ts'

/** Names of properties under which functions run without being called by name. */
const HIDDEN_CALLS = ['toString', 'valueOf', 'toJSON', 'then']

const shadowing = new WeakMap<Unit, boolean>()

/** Whether an object of the program may hold a function where a built-in would be looked for. */
export function hasShadows(unit: Unit): boolean {
  let found = shadowing.get(unit)
  if (found === undefined) shadowing.set(unit, (found = unit.codes.some(({ fn }) => shadows(fn.body))))
  return found
}

function shadows(node: Ex | St): boolean {
  if (node.k === 'object')
    for (const property of node.properties)
      if (
        !('k' in property) &&
        (typeof property.key !== 'string' || isTaken(property.key)) &&
        mayBeFunction(property.value)
      )
        return true
  if (node.k === 'assign' && node.target.k === 'member' && isTaken(node.target.name) && mayBeFunction(node.value))
    return true
  if (node.k === 'assign' && node.target.k === 'index' && mayBeFunction(node.value)) return true
  return node.k !== 'fn' && node.k !== 'function' && children(node).some(shadows)
}

function isTaken(name: string): boolean {
  return METHOD_NAMES.has(name) || HIDDEN_CALLS.includes(name)
}
