import type { Guest } from '../../value/guest.ts'
import type { Closure } from '../../value/guest-function.ts'
import { OPERATIONS } from '../../value/operators.ts'
import type { Operation } from '../../value/operators.ts'
import type { Constant, Forms, MakeBinary } from './arithmetic.ts'

function formsOf(compare: Operation): Forms<MakeBinary> {
  return {
    LK: (x: number, y: Constant) => (frame) => compare(frame[x] as Guest, y),
    LL: (x: number, y: number) => (frame) => compare(frame[x] as Guest, frame[y] as Guest),
    LE: (x: number, y: Closure) => (frame) => compare(frame[x] as Guest, y(frame)),
    EL: (x: Closure, y: number) => (frame) => compare(x(frame), frame[y] as Guest),
    EK: (x: Closure, y: Constant) => (frame) => compare(x(frame), y),
    EE: (x: Closure, y: Closure) => (frame) => compare(x(frame), y(frame)),
  }
}

/**
 * Comparisons as values. They share their closures: the performance-critical comparisons are the tests of branches and loops, which have their own closures
 * (`choices.ts`, `tight-loop.ts`).
 */
export const COMPARISONS: ReadonlyMap<string, Forms<MakeBinary>> = new Map(
  ['<', '>', '<=', '>=', '===', '!=='].map((op) => [op, formsOf(OPERATIONS.get(op)!)]),
)
