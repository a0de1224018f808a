import { NEXT } from '../../machine/activation.ts'
import { startAsyncGenerator } from '../../machine/iteration/async-generator.ts'
import { startGenerator } from '../../machine/iteration/generator.ts'
import { startAsync } from '../../machine/waits.ts'
import { charge } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import { Box } from '../../value/guest-function.ts'
import type { Closure } from '../../value/guest-function.ts'
import type { FunctionCode } from '../code.ts'
import { emitList } from './emit-blocks.ts'
import type { Emitter } from './emitter.ts'
import type { Fn } from '../ir.ts'

/** The native form of a function: it runs on the host stack and cannot be suspended. */
export function functionBody(code: FunctionCode, prologue: Closure[], emit: Emitter): Closure {
  if (code.isAsync) {
    return (frame) => {
      // The frame was made for the native form; the resumable one has more slots.
      code.resumable()
      while (frame.length < code.resumableSlots) frame.push(undefined)
      return startAsync(code, frame)
    }
  }
  if (code.isGenerator) {
    return (frame) => {
      code.resumable()
      while (frame.length < code.resumableSlots) frame.push(undefined)
      return code.fn.isAsync
        ? startAsyncGenerator(code, frame, code.fillsParameters)
        : startGenerator(code, frame, code.fillsParameters)
    }
  }
  const [only] = code.fn.body.body
  if (code.fn.body.body.length === 1 && only?.k === 'return' && only.value !== undefined && !code.fn.body.entry?.length)
    return withPrologue(prologue, emit.ex(only.value))
  const run = emitList(code.fn.body, emit)
  return withPrologue(prologue, (frame) => {
    const completion = run(frame)
    return completion === NEXT ? undefined : (completion as Guest)
  })
}

function withPrologue(prologue: Closure[], body: Closure): Closure {
  const [first] = prologue
  if (first === undefined) return body
  if (prologue.length === 1)
    return (frame) => {
      first(frame)
      return body(frame)
    }
  return (frame) => {
    for (let i = 0; i < prologue.length; i++) prologue[i]!(frame)
    return body(frame)
  }
}

/** Prepares parameters before the body: defaults, and boxes for captured ones. */
export function emitPrologue(fn: Fn, emit: Emitter): Closure[] {
  const actions: Closure[] = []
  for (const param of fn.params) {
    const { slot, isCaptured } = param.variable!
    if (param.initial !== undefined) {
      const initial = emit.ex(param.initial)
      actions.push((frame) => {
        if (frame[slot] === undefined) frame[slot] = initial(frame)
        return undefined
      })
    }
    if (isCaptured)
      actions.push((frame) => {
        charge(32)
        frame[slot] = new Box(frame[slot] as Guest)
        return undefined
      })
  }
  return actions
}
