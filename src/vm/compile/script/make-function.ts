import { charge } from '../../meter/live.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import type { Box, Closure, Frame } from '../../value/guest-function.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Fn } from '../ir.ts'
import type { Variable } from '../lower/scope.ts'

/** The closure that creates a function value. */
export function makeFunction(fn: Fn, emit: Emitter): Closure {
  const code = emit.unit.codes[fn.info!.id]!
  const { captures } = fn.info!
  if (captures.length === 0) {
    return () => {
      charge(64)
      return new GuestFunction(code, [])
    }
  }
  const take = captures.map(({ variable, up }) => takeBox(variable, up))
  const bytes = 64 + 8 * take.length
  const [first] = take
  if (take.length === 1 && first !== undefined)
    return (frame) => {
      charge(bytes)
      return new GuestFunction(code, [first(frame)])
    }
  return (frame) => {
    charge(bytes)
    const boxes: Box[] = []
    for (let i = 0; i < take.length; i++) boxes.push(take[i]!(frame))
    return new GuestFunction(code, boxes)
  }
}

function takeBox(variable: Variable, up: number): (frame: Frame) => Box {
  if (up >= 0) return (frame) => frame[0][up]!
  const { slot } = variable
  return (frame) => frame[slot] as Box
}
