import { children } from '../../compile/children.ts'
import type { FunctionCode } from '../../compile/code.ts'
import { allCodes } from '../../compile/emit/emitter.ts'
import type { Unit } from '../../compile/emit/emitter.ts'
import type { Ex, Member } from '../../compile/ir.ts'
import type { St } from '../../compile/ir-statements.ts'
import { STATIC_MUTATORS } from './builtin-flows.ts'
import type { Effects } from './effect-set.ts'
import { effectsOf } from './effect-analysis.ts'
import { hasPatterns } from '../value-kinds.ts'
import { globalOf } from './node-facts.ts'

/** Whether a mutating built-in escapes as a value and may be called by another name. */
function handsOutMutators(node: Ex | St): boolean {
  const global = node.k === 'member' || node.k === 'index' ? globalOf(node.object) : undefined
  if (global !== undefined && (node.k === 'index' || STATIC_MUTATORS.has(`${global.path}.${(node as Member).name}`)))
    return true
  return node.k !== 'fn' && node.k !== 'function' && children(node).some(handsOutMutators)
}

const impure = new WeakMap<readonly FunctionCode[], boolean>()

/** Whether any function of a program has lasting side effects. If none has, calls of unknown functions do not matter. */
export function isImpure(unit: Unit): boolean {
  return isImpureCode(allCodes(unit))
}

export function isImpureCode(codes: readonly FunctionCode[]): boolean {
  let found = impure.get(codes)
  if (found === undefined) {
    // The main function has no caller.
    const isOne = ({ isImpure: is, usesPatterns }: Effects): boolean => is || (usesPatterns && hasPatterns(codes))
    found = codes.some(
      ({ fn }) => handsOutMutators(fn.body) || (!(fn.isIsolated && fn.isAsync) && isOne(effectsOf(fn))),
    )
    impure.set(codes, found)
  }
  return found
}
