import { children } from '../compile/children.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Ex, St } from '../compile/ir.ts'
import { METHOD_NAMES } from './rules/builtin-flows.ts'
import { isImpureCode } from './rules/impurity.ts'
import { mayBe } from './held-labels.ts'

type Codes = readonly FunctionCode[]

/** Names of properties under which functions run without being called by name. */
const HIDDEN_CALLS: ReadonlySet<string> = new Set(['toString', 'valueOf', 'toJSON', 'then'])

const shadowing = new WeakMap<Codes, boolean>()
const hiding = new WeakMap<Codes, boolean>()

/** Whether an object of the program may hold a function where a built-in would be looked for. */
export function hasShadows(codes: Codes): boolean {
  let found = shadowing.get(codes)
  if (found === undefined) {
    found = holdsUnder((name) => METHOD_NAMES.has(name) || HIDDEN_CALLS.has(name), codes)
    shadowing.set(codes, found)
  }
  return found
}

/** Whether making a text, a number or JSON of something may change anything: then whatever is made of labelled things could have. */
export function hasHiddenCalls(codes: Codes): boolean {
  let found = hiding.get(codes)
  if (found === undefined) {
    found = holdsUnder((name) => HIDDEN_CALLS.has(name), codes) && isImpureCode(codes)
    hiding.set(codes, found)
  }
  return found
}

/** Whether something in an object may be a function under one of these names; keys that are made at run time may be any. */
function holdsUnder(isMeant: (name: string) => boolean, codes: Codes): boolean {
  const isFunction = (node: Ex): boolean => mayBe('function', node, codes)
  const holds = (node: Ex | St): boolean => {
    if (node.k === 'object')
      for (const property of node.properties)
        if (
          !('k' in property) &&
          (typeof property.key !== 'string' || isMeant(property.key)) &&
          isFunction(property.value)
        )
          return true
    if (node.k === 'assign' && node.target.k === 'member' && isMeant(node.target.name) && isFunction(node.value))
      return true
    if (node.k === 'assign' && node.target.k === 'index' && isFunction(node.value)) return true
    // Entries that become an object have names of their own.
    if (node.k === 'method' && node.name === 'fromEntries' && isFunction(node)) return true
    return node.k !== 'fn' && node.k !== 'function' && children(node).some(holds)
  }
  return codes.some(({ fn }) => holds(fn.body))
}
