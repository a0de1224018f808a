import { children } from '../compile/children.ts'
import type { FunctionCode } from '../compile/code.ts'
import type { Ex } from '../compile/ir.ts'
import type { St } from '../compile/ir-statements.ts'
import { METHOD_NAMES } from './rules/builtin-flows.ts'
import { effectsOf } from './rules/effect-analysis.ts'
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

/**
 * Whether an implicit call (a conversion to text, number or JSON, a getter, a setter) may have side effects. If so, every heap read may depend on labels that
 * have entered.
 */
export function hasImplicitCalls(codes: Codes): boolean {
  let found = implicitCache.get(codes)
  if (found === undefined) {
    found = holdsUnder((name) => IMPLICIT_CALLS.has(name), codes, isLoud) || hasLoudAccessors(codes)
    implicitCache.set(codes, found)
  }
  return found
}

/** Whether an implicitly called function may have side effects. A value other than a function literal may be any function of the program. */
function isLoud(node: Ex, codes: Codes): boolean {
  if (node.k !== 'fn') return isImpureCode(codes)
  const effects = effectsOf(node)
  if (effects.isImpure || effects.usesPatterns) return true
  return (effects.callsUnknown || effects.calls.length > 0) && isImpureCode(codes)
}

/** Whether there are getters or setters with side effects, including those defined by descriptors. */
function hasLoudAccessors(codes: Codes): boolean {
  const isOne = (node: Ex | St): boolean => {
    if (node.k === 'object' || node.k === 'class')
      for (const member of node.k === 'object' ? node.properties : node.members)
        if (!('k' in member) && (member.kind === 'get' || member.kind === 'set') && isLoud(member.value, codes))
          return true
    if (node.k === 'method' && typeof node.name === 'string' && DEFINING.has(node.name) && isImpureCode(codes))
      return true
    return node.k !== 'fn' && node.k !== 'function' && children(node).some(isOne)
  }
  return codes.some(({ fn }) => isOne(fn.body))
}

/** Functions of `Object` that define accessors from descriptors. */
const DEFINING: ReadonlySet<string> = new Set(['defineProperty', 'defineProperties', 'create'])

/** Whether an object may hold such a function under one of these names; a computed key may be any of them. */
function holdsUnder(
  isMeant: (name: string) => boolean,
  codes: Codes,
  matters: (node: Ex, codes: Codes) => boolean = () => true,
): boolean {
  const isFunction = (node: Ex): boolean => mayBe('function', node, codes) && matters(node, codes)
  const holds = (node: Ex | St): boolean => {
    if (node.k === 'object' || node.k === 'class')
      for (const member of node.k === 'object' ? node.properties : node.members)
        if (!('k' in member) && (typeof member.key !== 'string' || isMeant(member.key)) && isFunction(member.value))
          return true
    if (node.k === 'assign' && node.target.k === 'member' && isMeant(node.target.name) && isFunction(node.value))
      return true
    if (node.k === 'assign' && node.target.k === 'index' && isFunction(node.value)) return true
    // The keys of `Object.fromEntries` are computed, and so are those that a descriptor is for.
    const { name } = node as Partial<{ name: unknown }>
    if (node.k === 'method' && name === 'fromEntries' && isFunction(node)) return true
    if (node.k === 'method' && typeof name === 'string' && DEFINING.has(name) && matters(node, codes)) return true
    return node.k !== 'fn' && node.k !== 'function' && children(node).some(holds)
  }
  return codes.some(({ fn }) => holds(fn.body))
}
