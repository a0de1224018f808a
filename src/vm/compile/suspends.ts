import { GuestFunction } from '../value/guest-function.ts'
import type { Call, Ex, Method, Reference } from './ir.ts'
import { suspendsWith } from './suspension.ts'
import type { Suspends } from './suspension.ts'

/** Methods that the table of built-ins has are almost never functions of the program. */
const BUILTIN_NAMES = new Set(
  `push pop shift unshift slice splice concat join reverse indexOf lastIndexOf includes at fill flat keys values entries sort map filter
  forEach reduce reduceRight find findIndex findLast findLastIndex some every flatMap charAt charCodeAt codePointAt split substring substr
  trim trimStart trimEnd toLowerCase toUpperCase padStart padEnd repeat replace replaceAll startsWith endsWith match matchAll search test exec
  toString toFixed toPrecision get set has add delete clear then catch finally getTime toISOString hasOwnProperty localeCompare`.split(
    /\s+/,
  ),
)

/** Built-ins that call back, by which of their arguments they call. */
const CALLBACKS: ReadonlyMap<string, number> = new Map([
  ...'map forEach filter some every find findIndex findLast findLastIndex flatMap reduce reduceRight sort toSorted'
    .split(' ')
    .map((name): [string, number] => [name, 0]),
  ...'from groupBy replace replaceAll'.split(' ').map((name): [string, number] => [name, 1]),
])

/** Whether the call itself, its arguments apart, may run long. */
export function mayRunLong(node: Call | Method): boolean {
  if (node.k === 'call') return node.callee.k !== 'var' || isFunctionOfProgram(node.callee.ref)
  const callback = typeof node.name === 'string' ? CALLBACKS.get(node.name) : undefined
  if (callback !== undefined) return node.args.slice(callback).some(mayCallLong)
  if (typeof node.name !== 'string' || BUILTIN_NAMES.has(node.name)) return false
  return !isGlobal(node.object)
}

/** Whether a node can be put aside inside, where there may be calls. */
export const suspends: Suspends = suspendsWith(mayRunLong)

/** A callback that may run long; of one that is only named nothing is known. */
function mayCallLong(callback: Ex): boolean {
  return callback.k === 'fn' ? suspends(callback.body) > 0 : callback.k === 'var'
}

function isFunctionOfProgram(ref: Reference | undefined): boolean {
  return ref?.to === 'local' || ref?.to === 'box' || (ref?.to === 'global' && ref.value instanceof GuestFunction)
}

/** `tools.search` and `Math.max` are built-ins or requests: neither runs guest code here. */
function isGlobal(node: Ex): boolean {
  if (node.k === 'var') return node.ref?.to === 'global'
  return node.k === 'member' && isGlobal(node.object)
}
