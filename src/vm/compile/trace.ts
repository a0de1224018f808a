import { NEXT, SUSPEND } from '../machine/activation.ts'
import { TraceLog } from '../machine/trace-log.ts'
import type { BegunStep } from '../machine/trace-log.ts'
import { live } from '../meter/live.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import type { Emitter } from './emit/emitter.ts'
import type { Ex, Var } from './ir.ts'
import type { St } from './ir-statements.ts'
import type { Action } from './language.ts'

/** Steps that set variables and have no result. */
const SETS: readonly string[] = ['varSet', 'constSet', 'varsLet', 'varsImport']

/** Units that a block prepays for a statement, and for the rest of the block. */
const paid = new WeakMap<St, { readonly own: number; readonly rest: number }>()
/** Field objects of atoms. */
const inputs = new WeakSet<Ex>()

/** Records the costs of the statements of a block before they are compiled. */
function noteCosts(statements: readonly St[], stepCost: (st: St) => number): void {
  let rest = 0
  for (const st of statements.toReversed()) {
    const own = stepCost(st)
    paid.set(st, { own, rest })
    rest += own
    const fields = fieldsOf(st)
    if (fields !== undefined) inputs.add(fields)
  }
}

function fieldsOf(st: St): Ex | undefined {
  if (st.k === 'request') return st.fields
  if (st.k !== 'expr' && st.k !== 'constset') return undefined
  const value = st.value.k === 'assign' ? st.value.value : st.value
  return value.k === 'input' ? value.fields : undefined
}

/** The variable that a step sets. */
function writtenBy(st: St | undefined): Var | undefined {
  if (st?.k === 'request' || st?.k === 'constset') return st.target
  if (st?.k === 'expr' && st.value.k === 'assign' && st.value.target.k === 'var') return st.value.target
  // List steps assign their result last.
  return st?.k === 'block' && st.body.at(-1)?.op === undefined ? writtenBy(st.body.at(-1)) : undefined
}

/** Wraps a statement so that each execution is recorded. */
function traced(st: St, action: Action, emit: Emitter): Action {
  const { op } = st
  if (op === undefined) return action
  const { own, rest } = paid.get(st) ?? { own: 0, rest: 0 }
  // With label tracking, values are left out: they would leave through the trace without labels.
  const hasValues = emit.unit.language.labels === undefined
  const target = hasValues ? writtenBy(st) : undefined
  const written = target === undefined || target.name.startsWith('%') ? undefined : emit.ex(target)
  const isGiven = hasValues && st.k === 'return'
  // The start of a suspended step is remembered until it ends.
  const begun = new WeakMap<Frame, BegunStep>()
  return (frame) => {
    const log = live.machine.traceLog!
    const outer = log.ahead
    const step = begun.get(frame) ?? log.begin(outer + own + rest)
    begun.delete(frame)
    const around = log.current
    log.current = step
    log.ahead = outer + rest
    let completion: unknown
    let isFailed = true
    try {
      completion = action(frame)
      isFailed = false
    } finally {
      log.ahead = outer
      log.current = around
      if (isFailed) log.add(st, step, { paidAhead: outer, isFailed })
    }
    if (completion === SUSPEND) begun.set(frame, step)
    // A step that leaves its block has prepaid for statements that do not run.
    else {
      const paidAhead = completion === NEXT ? outer + rest : outer
      const value = isGiven ? completion : written?.(frame)
      const gives = isGiven || (written !== undefined && !SETS.includes(op))
      log.add(st, step, { paidAhead, name: written && target!.name, value: value as never, gives })
    }
    return completion
  }
}

/** Records the input of an atom. */
function tracedInput(node: Ex, closure: Closure, emit: Emitter): Closure {
  if (!inputs.has(node) || emit.unit.language.labels !== undefined) return closure
  return (frame) => {
    const value = closure(frame)
    live.machine.traceLog!.noteInput(value)
    return value
  }
}

/** Records the executed steps of a program. */
export interface Tracing {
  siblings(statements: readonly St[], stepCost: (st: St) => number): void
  traced(st: St, action: Action, emit: Emitter): Action
  seen(node: Ex, closure: Closure, emit: Emitter): Closure
  /** A log with limits on entries and on bytes of values. */
  log(entries: number, bytes: number): TraceLog
}

export const TRACING: Tracing = {
  siblings: noteCosts,
  traced,
  seen: tracedInput,
  log: (entries, bytes) => new TraceLog(entries, bytes),
}
