import { NEXT } from '../../machine/activation.ts'
import type { Closure } from '../../value/guest-function.ts'
import { stepCost } from '../costs.ts'
import { emitIteration, isPlainEntry } from './emit-iterations.ts'
import type { Emitter } from './emitter.ts'
import { emitEntry } from '../block-entry.ts'
import type { Block, St } from '../ir-statements.ts'
import type { Action } from '../language.ts'
import { locateStep } from '../error-location.ts'
import type { Variable } from '../lower/scope.ts'

/** The closure of a simple statement (one that always completes normally). */
export function emitSimple(st: St, emit: Emitter): Closure {
  const { labels } = emit.unit.language
  return labels === undefined ? emitUnlabelled(st, emit) : labels.simpleStatement(st, emit)
}

export function emitUnlabelled(st: St, emit: Emitter): Closure {
  if (st.k === 'expr') return emit.ex(st.value)
  if (st.k === 'let') return emit.unit.language.emitLet!(st, emit)
  const action = emit.st(st)
  return (frame) => {
    action(frame)
    return undefined
  }
}

/** Block entry: creates variables first, then the declared functions. */
export function emitBlockEntry(block: Pick<Block, 'entry' | 'body'>, emit: Emitter): Action[] {
  return [...emitEntry(block.entry ?? []), ...emit.unit.language.functions(block.body, emit)]
}

/** The statements of a block in sequence, with its entry. */
export function emitList(block: Pick<Block, 'entry' | 'body'>, emit: Emitter): Action {
  const { entry = [] } = block
  if (isPlainEntry(entry, emit)) return emitSteps(block.body, emit, entry)
  const opening = emitBlockEntry(block, emit)
  const body = emitStatements(block.body, emit)
  const [first] = opening
  if (first === undefined) return body
  if (opening.length === 1)
    return (frame) => {
      first(frame)
      return body(frame)
    }
  return (frame) => {
    for (let i = 0; i < opening.length; i++) opening[i]!(frame)
    return body(frame)
  }
}

export function emitStatements(statements: readonly St[], emit: Emitter): Action {
  return emit.unit.isTraced ? emitSteps(statements, emit) : emit.unit.language.statements(statements, emit)
}

/** Whether a step has a source location; steps added by lowering have none. */
function hasPlace({ op, path, at }: St): boolean {
  return op !== undefined || path !== undefined || at !== undefined
}

/** Steps of a JSON program, which add their location to errors; resets up to two variables first. */
export function emitSteps(statements: readonly St[], emit: Emitter, entry: readonly Variable[] = []): Action {
  const items = statements.filter((st) => st.k !== 'function')
  const turn = emitIteration(items, emit, entry)
  if (turn !== undefined) return turn
  emit.unit.tracing?.siblings(items, stepCost)
  const actions = items.map((st) => emit.st(st))
  const [first, second, third] = actions
  const [one = -1, two = one] = entry.map(({ slot }) => slot)
  if (first !== undefined && second === undefined && one < 0 && !hasPlace(items[0]!)) return first
  if (first !== undefined && actions.length <= 3)
    return (frame) => {
      let i = 0
      if (one >= 0) {
        frame[one] = undefined
        frame[two] = undefined
      }
      try {
        let completion = first(frame)
        if (completion !== NEXT || second === undefined) return completion
        i = 1
        completion = second(frame)
        if (completion !== NEXT || third === undefined) return completion
        i = 2
        return third(frame)
      } catch (error) {
        locateStep(error, items[i]!)
        throw error
      }
    }
  return (frame) => {
    let i = 0
    if (one >= 0) {
      frame[one] = undefined
      frame[two] = undefined
    }
    try {
      for (; i < actions.length; i++) {
        const completion = actions[i]!(frame)
        if (completion !== NEXT) return completion
      }
    } catch (error) {
      locateStep(error, items[i]!)
      throw error
    }
    return NEXT
  }
}
