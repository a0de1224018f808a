import { NEXT } from '../../../machine/activation.ts'
import type { Closure } from '../../../value/guest-function.ts'
import { writeVar } from '../../emit/emit-variables.ts'
import { emitSimple } from '../../emit/emit-blocks.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { St } from '../../ir-statements.ts'
import type { Action } from '../../language.ts'
import { makeFunction } from '../make-function.ts'

/** Runs simple statements, whose completions need no check. */
function isPlain(st: St): boolean {
  return st.k === 'expr' || st.k === 'let' || st.k === 'settemp' || st.k === 'append' || st.k === 'constset'
}

/** The statements of a script; consecutive simple statements share one closure. */
export function emitFastStatements(statements: readonly St[], emit: Emitter): Action {
  const items = statements.filter((st) => st.k !== 'function')
  if (items.every(isPlain)) return runPlain(items.map((st) => emitSimple(st, emit)))
  const actions: Action[] = []
  let plain: Closure[] = []
  for (const st of items) {
    if (isPlain(st)) {
      plain.push(emitSimple(st, emit))
      continue
    }
    if (plain.length > 0) actions.push(runPlain(plain))
    plain = []
    actions.push(emit.st(st))
  }
  if (plain.length > 0) actions.push(runPlain(plain))
  return runActions(actions)
}

/** Function declarations are hoisted to the start of the block. */
export function emitFunctions(body: readonly St[], emit: Emitter): Action[] {
  return body.flatMap((st): Action[] => {
    if (st.k !== 'function') return []
    const make = makeFunction(st.fn, emit)
    const write = writeVar(st.variable!, -1)
    return [(frame) => write(frame, make(frame))]
  })
}

function runPlain(closures: Closure[]): Action {
  const [a, b, c] = closures
  if (a === undefined) return () => NEXT
  if (closures.length === 1)
    return (frame) => {
      a(frame)
      return NEXT
    }
  if (closures.length === 2 && b !== undefined)
    return (frame) => {
      a(frame)
      b(frame)
      return NEXT
    }
  if (closures.length === 3 && b !== undefined && c !== undefined)
    return (frame) => {
      a(frame)
      b(frame)
      c(frame)
      return NEXT
    }
  const rest = runPlain(closures.slice(3))
  return (frame) => {
    a(frame)
    b!(frame)
    c!(frame)
    return rest(frame)
  }
}

function runActions(actions: Action[]): Action {
  const [a, b, c] = actions
  if (actions.length === 1 && a !== undefined) return a
  if (actions.length === 2 && a !== undefined && b !== undefined)
    return (frame) => {
      const completion = a(frame)
      return completion === NEXT ? b(frame) : completion
    }
  if (actions.length === 3 && a !== undefined && b !== undefined && c !== undefined)
    return (frame) => {
      let completion = a(frame)
      if (completion !== NEXT) return completion
      completion = b(frame)
      return completion === NEXT ? c(frame) : completion
    }
  return (frame) => {
    for (let i = 0; i < actions.length; i++) {
      const completion = actions[i]!(frame)
      if (completion !== NEXT) return completion
    }
    return NEXT
  }
}
