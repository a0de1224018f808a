import { BREAK, CONTINUE, NEXT, SUSPEND, WHY_YIELD } from '../../machine/activation.ts'
import type { Activation } from '../../machine/activation.ts'
import { caught } from '../../machine/caught.ts'
import type { CursorItems } from '../../machine/iteration/cursors.ts'
import { END } from '../../machine/iteration/guest-iterator.ts'
import type { Cursor } from '../../machine/iteration/guest-iterator.ts'
import { live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import type { Frame } from '../../value/guest-function.ts'
import type { Action } from '../language.ts'
import { isLabelled } from './emit-steps.ts'

/** The parts of one loop iteration. */
interface TurnParts {
  readonly body: Action
  readonly set: (frame: Frame, value: Guest) => void
  readonly cost: number
  readonly labels: readonly string[]
}

/** Closes the cursor of a loop that is left by an exception. That exception takes precedence over one of the cursor. */
function closeQuietly(cursor: Cursor, error: unknown): void {
  caught(error)
  const { depth, pc, label } = live
  try {
    cursor.close()
  } catch (failure) {
    caught(failure)
  }
  live.depth = depth
  live.pc |= pc
  live.label = label
}

/** Whether the loop continues after its body. */
export function goesOn(completion: unknown, labels: readonly string[]): boolean {
  if (completion === NEXT || completion === CONTINUE) return true
  return isLabelled(completion, labels) && completion.kind === 'continue'
}

/** Returns the completion of a loop that is left by its body. */
export function leftWith(completion: unknown, labels: readonly string[]): unknown {
  return completion === BREAK || isLabelled(completion, labels) ? NEXT : completion
}

/** `for … of` over an iterator, in the native form. */
export function emitCursorLoop({ body, set, cost, labels }: TurnParts): (frame: Frame, items: CursorItems) => unknown {
  return (frame, { cursor }) => {
    for (;;) {
      if ((live.fuel -= cost) < 0) live.machine.refuel()
      live.label = 0
      const item = cursor.step()
      if (item === END) return NEXT
      set(frame, item)
      let completion: unknown
      try {
        completion = body(frame)
      } catch (error) {
        closeQuietly(cursor, error)
        throw error
      }
      if (goesOn(completion, labels)) continue
      cursor.close()
      return leftWith(completion, labels)
    }
  }
}

/** Progress: suspended before the next step, to yield to the event loop. */
const DEFERRED = 1
const IN_BODY = 2

/** The resumable form. */
export function emitResumableCursorLoop(
  { body, set, cost, labels }: TurnParts,
  place: number,
): (frame: Frame, items: CursorItems, progress: number) => unknown {
  return (frame, { cursor }, from) => {
    let progress = from
    for (;;) {
      if (progress !== IN_BODY) {
        if (progress !== DEFERRED) {
          if ((live.fuel -= cost) < 0) live.machine.refuel()
          if (live.overdue && live.machine.shouldYield()) {
            frame[place] = DEFERRED
            ;(frame[1] as Activation).why = WHY_YIELD
            return SUSPEND
          }
        }
        live.label = 0
        const item = cursor.step()
        if (item === END) return NEXT
        set(frame, item)
      }
      progress = 0
      let completion: unknown
      try {
        completion = body(frame)
      } catch (error) {
        closeQuietly(cursor, error)
        throw error
      }
      if (completion === SUSPEND) {
        frame[place] = IN_BODY
        return SUSPEND
      }
      if (goesOn(completion, labels)) continue
      cursor.close()
      return leftWith(completion, labels)
    }
  }
}
