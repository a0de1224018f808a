import { children } from './children.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { Call, Ex, Method, Reference, St } from './ir.ts'

/** What was found about a statement is kept in it: a map of all would cost more than looking. */
interface Noted {
  suspends?: 0 | 1 | 2
  notedOf?: object
}

const STATEMENTS: ReadonlySet<string> = new Set([
  'expr',
  'let',
  'block',
  'if',
  'loop',
  'forof',
  'switch',
  'labeled',
  'throw',
  'try',
  'return',
  'settemp',
])

/** Nothing in it waits or calls a function that may run long. */
export const RUNS_THROUGH = 0
/** It calls a function that may run long: better in the form that can be put aside. */
export const MAY_CALL = 1
/** It waits. */
export const WAITS = 2

/** Whether a node can be put aside inside. Functions inside do not count: they have activations of their own. */
export function suspends(node: Ex | St): 0 | 1 | 2 {
  // Expressions are small, and seldom asked about twice.
  if (!STATEMENTS.has(node.k)) return look(node)
  const noted = node as Noted
  // A node made from another by spreading it has its notes, but they are not about it.
  if (noted.notedOf === node) return noted.suspends!
  noted.suspends = look(node)
  noted.notedOf = node
  return noted.suspends
}

function look(node: Ex | St): 0 | 1 | 2 {
  if (node.k === 'var' || node.k === 'lit' || node.k === 'temp') return RUNS_THROUGH
  if (node.k === 'await' || node.k === 'awaitto' || node.k === 'request') return WAITS
  if (node.k === 'fn' || node.k === 'function') return RUNS_THROUGH
  // Loops are where programs spend their time.
  let most: 0 | 1 | 2 = node.k === 'loop' || node.k === 'forof' || node.k === 'callto' ? MAY_CALL : RUNS_THROUGH
  if ((node.k === 'call' || node.k === 'method') && mayRunLong(node)) most = MAY_CALL
  for (const child of children(node)) {
    const inside = suspends(child)
    if (inside > most) most = inside
    if (most === WAITS) break
  }
  return most
}

/** Methods that the table of built-ins has are almost never functions of the program. */
const BUILTIN_NAMES = new Set(
  `push pop shift unshift slice splice concat join reverse indexOf lastIndexOf includes at fill flat keys values entries sort map filter
  forEach reduce reduceRight find findIndex findLast findLastIndex some every flatMap charAt charCodeAt codePointAt split substring substr
  trim trimStart trimEnd toLowerCase toUpperCase padStart padEnd repeat replace replaceAll startsWith endsWith match matchAll search test exec
  toString toFixed toPrecision get set has add delete clear then catch finally getTime toISOString hasOwnProperty localeCompare`.split(
    /\s+/,
  ),
)

/** Methods of lists that call back. */
const CALLBACK_NAMES = new Set(['map', 'forEach', 'filter', 'some', 'every', 'find', 'findIndex'])

/** Whether the call itself, its arguments apart, may run long. */
export function mayRunLong(node: Call | Method): boolean {
  if (node.k === 'call') return node.callee.k !== 'var' || isFunctionOfProgram(node.callee.ref)
  if (typeof node.name === 'string' && CALLBACK_NAMES.has(node.name)) return node.args.some(mayCallLong)
  if (typeof node.name !== 'string' || BUILTIN_NAMES.has(node.name)) return false
  return !isGlobal(node.object)
}

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
