import { NEXT, SUSPEND } from '../machine/activation.ts'
import { TraceLog } from '../machine/trace-log.ts'
import type { BegunStep } from '../machine/trace-log.ts'
import { live } from '../meter/live.ts'
import type { Closure, Frame } from '../value/guest-function.ts'
import type { Emitter } from './emit/emitter.ts'
import type { Ex, St, Var } from './ir.ts'
import type { Action } from './language.ts'

/** Steps that only set variables give nothing themselves. */
const SETS: readonly string[] = ['varSet', 'constSet', 'varsLet', 'varsImport']

/** Units that a block pays for a statement, and for those after it, when it is entered. */
const paid = new WeakMap<St, { readonly own: number; readonly rest: number }>()
/** The fields of atoms. */
const inputs = new WeakSet<Ex>()

/** The statements of a block, before they are compiled. Costs are a parameter: without tracing they come with the compiler. */
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

/** The variable that a step sets, whatever is inside it. */
function writtenBy(st: St | undefined): Var | undefined {
  if (st?.k === 'request' || st?.k === 'constset') return st.target
  if (st?.k === 'expr' && st.value.k === 'assign' && st.value.target.k === 'var') return st.value.target
  // Steps that go through lists put what they gathered where it belongs, last.
  return st?.k === 'block' && st.body.at(-1)?.op === undefined ? writtenBy(st.body.at(-1)) : undefined
}

/** Notes a statement of the program each time it has run. */
function traced(st: St, action: Action, emit: Emitter): Action {
  const { op } = st
  if (op === undefined) return action
  const { own, rest } = paid.get(st) ?? { own: 0, rest: 0 }
  // Values would leave by the trace without their labels.
  const hasValues = emit.unit.language.labels === undefined
  const target = hasValues ? writtenBy(st) : undefined
  const written = target === undefined || target.name.startsWith('%') ? undefined : emit.ex(target)
  const isGiven = hasValues && st.k === 'return'
  // Of a step that is put aside, the beginning is remembered until it ends.
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
    // Whatever comes after a step that leaves its block has been paid for, and does not run.
    else {
      const paidAhead = completion === NEXT ? outer + rest : outer
      const value = isGiven ? completion : written?.(frame)
      const gives = isGiven || (written !== undefined && !SETS.includes(op))
      log.add(st, step, { paidAhead, name: written && target!.name, value: value as never, gives })
    }
    return completion
  }
}

/** Notes what an atom gets. */
function tracedInput(node: Ex, closure: Closure, emit: Emitter): Closure {
  if (!inputs.has(node) || emit.unit.language.labels !== undefined) return closure
  return (frame) => {
    const value = closure(frame)
    live.machine.traceLog!.noteInput(value)
    return value
  }
}

/** Keeps what the steps of a program did. */
export interface Tracing {
  siblings(statements: readonly St[], stepCost: (st: St) => number): void
  traced(st: St, action: Action, emit: Emitter): Action
  seen(node: Ex, closure: Closure, emit: Emitter): Closure
  /** Room for so many entries, and so many bytes of values. */
  log(entries: number, bytes: number): TraceLog
}

export const TRACING: Tracing = {
  siblings: noteCosts,
  traced,
  seen: tracedInput,
  log: (entries, bytes) => new TraceLog(entries, bytes),
}
