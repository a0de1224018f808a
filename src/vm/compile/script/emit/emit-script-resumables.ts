import { BREAK, CONTINUE, NEXT, SUSPEND, WHY_YIELD } from '../../../machine/activation.ts'
import type { Activation } from '../../../machine/activation.ts'
import { live } from '../../../meter/live.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { block, blockOf, emitResumable } from '../../emit/emit-resumable.ts'
import { awaitTo } from '../../emit/emit-waits.ts'
import { isLabelled, iterationCost } from '../../emit/emit-steps.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { Ex } from '../../ir.ts'
import type { Labeled, Loop, St, Switch } from '../../ir-statements.ts'
import type { Action, EmitStep } from '../../language.ts'
import { caseCost, emitCases, emitFresh, emitSwitchOpening } from './emit-script-steps.ts'
import { hoistExpr } from '../hoist-script.ts'
import { emitTightLoop } from '../tight-loop.ts'
import { yieldTo } from './emit-yields.ts'
import { eachOf } from './emit-for-await.ts'
import { tryFinallyResumable } from './emit-finally.ts'

const IN_HEAD = 1
const AT_TEST = 2
const IN_BODY = 3
const IN_UPDATE = 4
/** Charged and deferred, to yield to the event loop. */
const BODY_NEXT = 5

/** An expression that may wait: hoisted statements, then its value. */
function emitSplit(node: Ex | undefined, emit: Emitter): { before: Action | undefined; value: Closure | undefined } {
  if (node === undefined) return { before: undefined, value: undefined }
  const statements: St[] = []
  const rest = hoistExpr(node, statements, emit)
  const before = statements.length === 0 ? undefined : block({ body: statements, entry: [] }, emit)
  return { before, value: emit.ex(rest) }
}

function yieldNow(frame: Frame): typeof SUSPEND {
  ;(frame[1] as Activation).why = WHY_YIELD
  return SUSPEND
}

interface LoopParts {
  readonly place: number
  readonly head: Action | undefined
  readonly test: ReturnType<typeof emitSplit>
  readonly update: ReturnType<typeof emitSplit>
  readonly fresh: ((frame: Frame) => void) | undefined
  readonly body: Action
  readonly cost: number
  readonly labels: readonly string[]
  readonly testsLast: boolean
}

function loop(st: Loop, emit: Emitter): Action {
  const place = emit.fn.ownSlot()
  return (
    emitTightLoop(st, emit, place) ??
    runLoop({
      head: st.init.length === 0 ? undefined : blockOf({ k: 'block', body: st.init, entry: st.entry }, emit),
      test: emitSplit(st.test, emit),
      update: emitSplit(st.update, emit),
      fresh: emitFresh(st),
      body: blockOf(st.body, emit),
      cost: iterationCost(st),
      labels: st.labels,
      testsLast: st.testsLast,
      place,
    })
  )
}

/** Runs a part that may suspend, and records the phase if it does. */
function isSuspended(frame: Frame, place: number, phase: number, completion: unknown): boolean {
  if (completion !== SUSPEND) return false
  frame[place] = phase
  return true
}

function runLoop(parts: LoopParts): Action {
  const { place, head, test, update, fresh, body, cost, labels, testsLast } = parts
  return (frame) => {
    let phase = (frame[place] as number | undefined) ?? 0
    frame[place] = 0
    if (phase <= IN_HEAD) {
      if (head !== undefined && isSuspended(frame, place, IN_HEAD, head(frame))) return SUSPEND
      fresh?.(frame)
      phase = testsLast ? FIRST_TURN : AT_TEST
    }
    for (;;) {
      if (phase === AT_TEST) {
        if (test.before !== undefined && isSuspended(frame, place, AT_TEST, test.before(frame))) return SUSPEND
        if (test.value !== undefined && !test.value(frame)) return NEXT
      }
      if (phase === AT_TEST || phase === FIRST_TURN) {
        if ((live.fuel -= cost) < 0) live.machine.refuel()
        if (live.overdue && live.machine.shouldYield()) {
          frame[place] = BODY_NEXT
          return yieldNow(frame)
        }
      }
      if (phase !== IN_UPDATE) {
        const completion = body(frame)
        if (completion !== NEXT && completion !== CONTINUE) {
          if (isSuspended(frame, place, IN_BODY, completion)) return SUSPEND
          if (completion === BREAK) return NEXT
          if (!isLabelled(completion, labels)) return completion
          if (completion.kind === 'break') return NEXT
        }
        fresh?.(frame)
      }
      if (update.before !== undefined && isSuspended(frame, place, IN_UPDATE, update.before(frame))) return SUSPEND
      update.value?.(frame)
      phase = AT_TEST
    }
  }
}

/** The first iteration of `do … while`, without a test before it. */
const FIRST_TURN = 6

function switchOf(st: Switch, emit: Emitter): Action {
  const opening = emitSwitchOpening(st, emit)
  const choose = emitCases(st, emit)
  const bodies = st.cases.map((one) =>
    blockOf({ k: 'block', body: one.body.filter((inner) => inner.k !== 'function'), entry: [] }, emit),
  )
  const costs = st.cases.map((one) => caseCost(one.body))
  const place = emit.fn.ownSlot()
  return (frame) => {
    const progress = (frame[place] as number | undefined) ?? 0
    frame[place] = 0
    let i = progress - 1
    if (progress === 0) {
      for (const action of opening) action(frame)
      i = choose(frame)
      if (i < bodies.length) live.fuel -= costs[i]!
    }
    for (; i < bodies.length; i++) {
      const completion = bodies[i]!(frame)
      if (isSuspended(frame, place, i + 1, completion)) return SUSPEND
      if (completion === BREAK) return NEXT
      if (completion !== NEXT) return completion
      if (i + 1 < bodies.length) live.fuel -= costs[i + 1]!
    }
    return NEXT
  }
}

function labeled(st: Labeled, emit: Emitter): Action {
  const body = emitResumable(st.body, emit)
  const labels = [st.label]
  return (frame) => {
    const completion = body(frame)
    return isLabelled(completion, labels) && completion.kind === 'break' ? NEXT : completion
  }
}

/** Resumable forms of script statements. */
export const EMIT_SCRIPT_RESUMABLES: readonly (readonly [string, EmitStep])[] = [
  ['loop', loop],
  ['forof', eachOf],
  ['switch', switchOf],
  ['labeled', labeled],
  ['try', tryFinallyResumable],
  ['awaitto', awaitTo],
  ['yieldto', yieldTo],
]
