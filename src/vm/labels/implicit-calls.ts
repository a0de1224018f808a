import { children } from '../compile/children.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Ex, St } from '../compile/ir.ts'
import { METHOD_NAMES } from './rules/builtin-flows.ts'
import { isImpureCode } from './rules/purity.ts'
import { mayBe } from './value-kinds.ts'

type Codes = readonly FunctionCode[]

/** Property names under which JavaScript calls functions implicitly. */
const IMPLICIT_CALLS: ReadonlySet<string> = new Set(['toString', 'valueOf', 'toJSON', 'then'])

const shadowCache = new WeakMap<Codes, boolean>()
const implicitCache = new WeakMap<Codes, boolean>()

/** Whether an object of the program may hold a function under the name of a built-in method. */
export function shadowsBuiltins(codes: Codes): boolean {
  let found = shadowCache.get(codes)
  if (found === undefined) {
    found = holdsUnder((name) => METHOD_NAMES.has(name) || IMPLICIT_CALLS.has(name), codes)
    shadowCache.set(codes, found)
  }
  return found
}

/** Whether converting a value to text, number or JSON may have side effects. Then every conversion of a labelled value is an implicit flow. */
export function hasImplicitCalls(codes: Codes): boolean {
  let found = implicitCache.get(codes)
  if (found === undefined) {
    found = holdsUnder((name) => IMPLICIT_CALLS.has(name), codes) && isImpureCode(codes)
    implicitCache.set(codes, found)
  }
  return found
}

/** Whether an object may hold a function under one of these names; a computed key may be any of them. */
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
    // The keys of `Object.fromEntries` are computed.
    if (node.k === 'method' && node.name === 'fromEntries' && isFunction(node)) return true
    return node.k !== 'fn' && node.k !== 'function' && children(node).some(holds)
  }
  return codes.some(({ fn }) => holds(fn.body))
}
