import { GuestFunction } from '../value/guest-function.ts'
import { children } from './children.ts'
import type { Call, Ex, Method, Reference } from './ir.ts'
import type { St } from './ir-statements.ts'

/** The result of the analysis, cached on the statement itself: cheaper than a map over all statements. */
interface Cached {
  suspends?: Suspension
  /** The node of the cached result. A copy made by spreading has the fields but is another node. */
  suspendsOf?: object
}

const STATEMENTS: ReadonlySet<string> = new Set(
  'expr let block if loop forof switch labeled throw try return settemp'.split(' '),
)

const WAITING: ReadonlySet<string> = new Set('await awaitto yield yieldto request'.split(' '))

/** It neither waits nor calls a function that may run long. */
const RUNS_THROUGH = 0
/** It calls a function that may run long, so it is compiled in the resumable form. */
const MAY_CALL = 1
/** It waits for a promise or a request. */
export const WAITS = 2

type Suspension = typeof RUNS_THROUGH | typeof MAY_CALL | typeof WAITS

/** Names of built-in methods, which are almost never functions of the program. */
const BUILTIN_NAMES = new Set(
  `push pop shift unshift slice splice concat join reverse indexOf lastIndexOf includes at fill flat keys values entries sort map filter
  forEach reduce reduceRight find findIndex findLast findLastIndex some every flatMap charAt charCodeAt codePointAt split substring substr
  trim trimStart trimEnd toLowerCase toUpperCase padStart padEnd repeat replace replaceAll startsWith endsWith match matchAll search test exec
  toString toFixed toPrecision get set has add delete clear then catch finally getTime toISOString hasOwnProperty localeCompare`.split(
    /\s+/,
  ),
)

/** Built-ins with callbacks, and the position of the callback. */
const CALLBACKS: ReadonlyMap<string, number> = new Map([
  ...'map forEach filter some every find findIndex findLast findLastIndex flatMap reduce reduceRight sort toSorted'
    .split(' ')
    .map((name): [string, number] => [name, 0]),
  ...'from groupBy replace replaceAll'.split(' ').map((name): [string, number] => [name, 1]),
])

/** Whether the call itself, without its arguments, may run long. */
export function mayRunLong(node: Call | Method): boolean {
  if (node.k === 'call') return node.callee.k !== 'var' || isFunctionOfProgram(node.callee.ref)
  const callback = typeof node.name === 'string' ? CALLBACKS.get(node.name) : undefined
  if (callback !== undefined) return node.args.slice(callback).some(mayCallLong)
  if (typeof node.name !== 'string' || BUILTIN_NAMES.has(node.name)) return false
  return !isGlobal(node.object)
}

/** Whether execution can be suspended inside a node. Functions inside do not count: they have activations of their own. */
export function suspends(node: Ex | St): Suspension {
  // Expressions are small, and seldom analysed twice.
  if (!STATEMENTS.has(node.k)) return analyse(node)
  const cached = node as Cached
  if (cached.suspendsOf === node) return cached.suspends!
  cached.suspends = analyse(node)
  cached.suspendsOf = node
  return cached.suspends
}

function analyse(node: Ex | St): Suspension {
  if (node.k === 'var' || node.k === 'lit' || node.k === 'temp') return RUNS_THROUGH
  if (WAITING.has(node.k) || (node.k === 'forof' && node.isAwait === true)) return WAITS
  if (node.k === 'fn' || node.k === 'function') return RUNS_THROUGH
  // Programs spend most of their time in loops.
  let most: Suspension = node.k === 'loop' || node.k === 'forof' || node.k === 'callto' ? MAY_CALL : RUNS_THROUGH
  if ((node.k === 'call' || node.k === 'method') && mayRunLong(node)) most = MAY_CALL
  const inside = children(node)
  for (let i = 0; i < inside.length && most !== WAITS; i++) {
    const found = suspends(inside[i]!)
    if (found > most) most = found
  }
  return most
}

/** Whether a callback may run long; assumed for one passed by name. */
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
