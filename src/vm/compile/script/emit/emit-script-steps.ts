import { BREAK, CONTINUE, NEXT } from '../../../machine/activation.ts'
import { charge, live } from '../../../meter/live.ts'
import { Box } from '../../../value/guest-function.ts'
import type { Closure, Frame } from '../../../value/guest-function.ts'
import { strictEquals } from '../../../value/operators.ts'
import { blockCost, stepCost } from '../../costs.ts'
import { emitList, emitBlockEntry, emitStatements } from '../../emit/emit-blocks.ts'
import { isLabelled, iterationCost } from '../../emit/emit-steps.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { If, Labeled, Loop, St, Switch } from '../../ir-statements.ts'
import type { Action, EmitStep } from '../../language.ts'
import { emitChoice } from './emit-operators.ts'
import { emitTightLoop } from '../tight-loop.ts'
import { emitTryFinally } from './emit-finally.ts'

function branch(st: If, emit: Emitter): Action {
  const sides = {
    then: emitList(st.then, emit),
    thenCost: blockCost(st.then),
    otherwise: st.otherwise === undefined ? undefined : emitList(st.otherwise, emit),
    otherwiseCost: st.otherwise === undefined ? 0 : blockCost(st.otherwise),
  }
  return emitChoice(st.test, sides, emit)
}

/** New boxes for captured variables of the loop head, one per iteration. */
export function emitFresh(st: Loop): ((frame: Frame) => void) | undefined {
  const slots = (st.fresh ?? []).filter((variable) => variable.kind !== 'var').map((variable) => variable.slot)
  if (slots.length === 0) return undefined
  return (frame) => {
    for (const slot of slots) {
      charge(32)
      const before = frame[slot] as Box
      const box = new Box(before.value)
      box.label = before.label
      frame[slot] = box
    }
  }
}

/** The start of a loop: its variables, then its initialiser. */
function emitHead(st: Loop, emit: Emitter): Action {
  return emitList({ entry: st.entry ?? [], body: st.init }, emit)
}

const always: Closure = () => true

function loop(st: Loop, emit: Emitter): Action {
  const tight = emitTightLoop(st, emit, -1)
  if (tight !== undefined) return tight
  const head = st.init.length === 0 ? undefined : emitHead(st, emit)
  const test = st.test === undefined ? always : emit.ex(st.test)
  const update = st.update === undefined ? undefined : emit.ex(st.update)
  const fresh = emitFresh(st)
  const body = emitList(st.body, emit)
  const cost = iterationCost(st)
  const { labels, testsLast } = st
  return (frame) => {
    head?.(frame)
    // Closures made in the initialiser see its variables, not those of the first iteration.
    fresh?.(frame)
    let isFirst = testsLast
    while (isFirst || test(frame)) {
      isFirst = false
      if ((live.fuel -= cost) < 0) live.machine.refuel()
      const completion = body(frame)
      if (completion !== NEXT && completion !== CONTINUE) {
        if (completion === BREAK) break
        if (!isLabelled(completion, labels)) return completion
        if (completion.kind === 'break') break
      }
      fresh?.(frame)
      update?.(frame)
    }
    return NEXT
  }
}

/** The index of the matching case, or the number of cases if none matches. */
export function emitCases(st: Switch, emit: Emitter): (frame: Frame) => number {
  const value = emit.ex(st.value)
  const tests = st.cases.map((one) => (one.test === undefined ? undefined : emit.ex(one.test)))
  const fallback = tests.indexOf(undefined)
  return (frame) => {
    const wanted = value(frame)
    for (let i = 0; i < tests.length; i++) {
      const test = tests[i]
      live.fuel -= 200
      if (test !== undefined && strictEquals(wanted, test(frame))) return i
    }
    return fallback < 0 ? tests.length : fallback
  }
}

export function caseCost(body: readonly St[]): number {
  return body.reduce((sum, st) => sum + stepCost(st), 100)
}

export function emitSwitchOpening(st: Switch, emit: Emitter): Action[] {
  return emitBlockEntry({ entry: st.entry, body: st.cases.flatMap((one) => one.body) }, emit)
}

function switchOf(st: Switch, emit: Emitter): Action {
  const opening = emitSwitchOpening(st, emit)
  const choose = emitCases(st, emit)
  const bodies = st.cases.map((one) => emitStatements(one.body, emit))
  const costs = st.cases.map((one) => caseCost(one.body))
  return (frame) => {
    for (const action of opening) action(frame)
    for (let i = choose(frame); i < bodies.length; i++) {
      live.fuel -= costs[i]!
      const completion = bodies[i]!(frame)
      if (completion === BREAK) return NEXT
      if (completion !== NEXT) return completion
    }
    return NEXT
  }
}

function labeled(st: Labeled, emit: Emitter): Action {
  const body = emit.st(st.body)
  const labels = [st.label]
  return (frame) => {
    const completion = body(frame)
    return isLabelled(completion, labels) && completion.kind === 'break' ? NEXT : completion
  }
}

/** Emitters of script-only statements, and of those with more features in scripts. */
export const EMIT_SCRIPT_STEPS: readonly (readonly [string, EmitStep])[] = [
  ['if', branch],
  ['loop', loop],
  ['switch', switchOf],
  ['labeled', labeled],
  ['try', emitTryFinally],
]
