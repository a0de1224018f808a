import { NEXT } from '../machine/activation.ts'
import type { Closure } from '../value/guest-function.ts'
import { writeVar } from './emit-access.ts'
import type { Emitter } from './emitter.ts'
import { emitEntry } from './entry.ts'
import type { Block, LetSt, St } from './ir.ts'
import type { Action } from './language.ts'
import { locateStep } from './located.ts'

/** Statements that always go on to the next: they run without a look at what they give. */
function isPlain(st: St): boolean {
  return st.k === 'expr' || st.k === 'let' || st.k === 'settemp' || st.k === 'append' || st.k === 'constset'
}

/** The closure of a plain statement. */
export function emitPlain(st: St, emit: Emitter): Closure {
  if (st.k === 'expr') return emit.ex(st.value)
  if (st.k === 'let') return emitLet(st, emit)
  const action = emit.st(st)
  return (frame) => {
    action(frame)
    return undefined
  }
}

export function emitLet(st: LetSt, emit: Emitter): Closure {
  const { slot, isCaptured } = st.variable!
  if (st.value === undefined && st.kind === 'var') return () => undefined
  const value: Closure = st.value === undefined ? () => undefined : emit.ex(st.value)
  if (!isCaptured) return (frame) => (frame[slot] = value(frame))
  const write = writeVar(st.variable!, -1)
  return (frame) => {
    write(frame, value(frame))
    return undefined
  }
}

/** What happens when a block is entered: variables first, then the functions it declares. */
export function emitOpening(block: Pick<Block, 'entry' | 'body'>, emit: Emitter): Action[] {
  const opening = emitEntry(block.entry ?? [])
  for (const st of block.body) {
    if (st.k !== 'function') continue
    const make = emit.makeFunction(st.fn)
    const write = writeVar(st.variable!, -1)
    opening.push((frame) => write(frame, make(frame)))
  }
  return opening
}

/** The statements of a block one after the other, with what its entry needs. */
export function emitList(block: Pick<Block, 'entry' | 'body'>, emit: Emitter): Action {
  const opening = emitOpening(block, emit)
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
  const items = statements.filter((st) => st.k !== 'function')
  if (!emit.unit.language.isScript || emit.unit.isTraced) return emitSteps(items, emit)
  if (items.every(isPlain)) return runPlain(items.map((st) => emitPlain(st, emit)))
  const actions: Action[] = []
  let plain: Closure[] = []
  for (const st of items) {
    if (isPlain(st)) {
      plain.push(emitPlain(st, emit))
      continue
    }
    if (plain.length > 0) actions.push(runPlain(plain))
    plain = []
    actions.push(emit.st(st))
  }
  if (plain.length > 0) actions.push(runPlain(plain))
  return runActions(actions)
}

/** Steps of a JSON program: an error says which one it came from. */
function emitSteps(items: readonly St[], emit: Emitter): Action {
  const actions = items.map((st) => emit.st(st))
  return (frame) => {
    let i = 0
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
  return (frame) => {
    for (let i = 0; i < closures.length; i++) closures[i]!(frame)
    return NEXT
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
