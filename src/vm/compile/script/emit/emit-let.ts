import type { Closure } from '../../../value/guest-function.ts'
import { writeVar } from '../../emit/emit-variables.ts'
import type { Emitter } from '../../emit/emitter.ts'
import type { LetSt } from '../../ir-statements.ts'

/** A declaration with its value. */
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
