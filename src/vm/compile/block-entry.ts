import { charge } from '../meter/live.ts'
import { Box } from '../value/guest-function.ts'
import type { Action } from './language.ts'
import { UNSET } from './lower/scope.ts'
import type { Variable } from './lower/scope.ts'

/** Block entry: makes boxes for captured variables, and marks those in the temporal dead zone. */
export function emitEntry(variables: readonly Variable[]): Action[] {
  const actions: Action[] = []
  const plain: number[] = []
  for (const variable of variables) {
    const { slot, isCaptured, kind } = variable
    const first = variable.isChecked ? UNSET : undefined
    if (isCaptured)
      actions.push((frame) => {
        charge(32)
        frame[slot] = new Box(first)
      })
    else if (variable.isChecked)
      actions.push((frame) => {
        frame[slot] = UNSET
      })
    else if (kind === 'var') plain.push(slot)
  }
  const [one = 0, two = one, ...rest] = plain
  if (plain.length > 0)
    actions.push((frame) => {
      frame[one] = undefined
      frame[two] = undefined
      for (let i = 0; i < rest.length; i++) frame[rest[i]!] = undefined
    })
  return actions
}
