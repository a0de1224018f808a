import { children } from './children.ts'
import type { Call, Ex, Method, St } from './ir.ts'

/** What was found about a statement is kept in it: a map of all would cost more than looking. */
interface Noted {
  suspends?: 0 | 1 | 2
  notedOf?: object
}

const STATEMENTS: ReadonlySet<string> = new Set(
  'expr let block if loop forof switch labeled throw try return settemp'.split(' '),
)

/** Nothing in it waits or calls a function that may run long. */
export const RUNS_THROUGH = 0
/** It calls a function that may run long: better in the form that can be put aside. */
export const MAY_CALL = 1
/** It waits. */
export const WAITS = 2

/** Whether a node can be put aside inside. Functions inside do not count: they have activations of their own. */
export type Suspends = (node: Ex | St) => 0 | 1 | 2

/** Looks into nodes; `mayRunLong` knows of calls, their arguments apart. */
export function suspendsWith(mayRunLong: (node: Call | Method) => boolean): Suspends {
  const suspends: Suspends = (node) => {
    // Expressions are small, and seldom asked about twice.
    if (!STATEMENTS.has(node.k)) return look(node)
    const noted = node as Noted
    // A node made from another by spreading it has its notes, but they are not about it.
    if (noted.notedOf === node) return noted.suspends!
    noted.suspends = look(node)
    noted.notedOf = node
    return noted.suspends
  }
  const look: Suspends = (node) => {
    if (node.k === 'var' || node.k === 'lit' || node.k === 'temp') return RUNS_THROUGH
    if (node.k === 'await' || node.k === 'awaitto' || node.k === 'request') return WAITS
    if (node.k === 'fn' || node.k === 'function') return RUNS_THROUGH
    // Loops are where programs spend their time.
    let most: 0 | 1 | 2 = node.k === 'loop' || node.k === 'forof' || node.k === 'callto' ? MAY_CALL : RUNS_THROUGH
    if ((node.k === 'call' || node.k === 'method') && mayRunLong(node)) most = MAY_CALL
    const inside = children(node)
    for (let i = 0; i < inside.length && most !== WAITS; i++) {
      const found = suspends(inside[i]!)
      if (found > most) most = found
    }
    return most
  }
  return suspends
}
