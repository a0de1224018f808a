import { SUSPEND } from '../machine/activation.ts'
import { TraceLog } from '../machine/trace-log.ts'
import { UNITS_PER_FUEL, live } from '../meter/live.ts'
import type { St } from './ir.ts'
import type { Action } from './language.ts'

/** Notes a statement of the program each time it has run: which, where, and the fuel around it. */
function traced(st: St, action: Action): Action {
  const { op, path, at } = st
  if (op === undefined) return action
  return (frame) => {
    const { machine } = live
    const before = machine.unitsUsedNow() / UNITS_PER_FUEL
    try {
      const completion = action(frame)
      if (completion !== SUSPEND) machine.trace({ op, path, at, before, isFailed: false })
      return completion
    } catch (error) {
      machine.trace({ op, path, at, before, isFailed: true })
      throw error
    }
  }
}

/** Keeps what the steps of a program did. */
export interface Tracing {
  traced(st: St, action: Action): Action
  /** Room for so many entries. */
  log(max: number): TraceLog
}

export const TRACING: Tracing = { traced, log: (max) => new TraceLog(max) }
