import { charge } from '../meter/live.ts'
import { Box } from '../value/guest-function.ts'
import type { Action } from './language.ts'
import { UNSET } from './scope.ts'
import type { Variable } from './scope.ts'

/** What a block does when it is entered: boxes for captured variables, marks for those that may be read too early. */
export function emitEntry(variables: readonly Variable[]): Action[] {
  const actions: Action[] = []
  for (const variable of variables) {
    const { slot, isCaptured, kind } = variable
    const first = variable.isChecked ? UNSET : undefined
    if (isCaptured)
      actions.push((frame) => {
        charge(32)
        frame[slot] = new Box(first)
      })
    else if (variable.isChecked || kind === 'var')
      actions.push((frame) => {
        frame[slot] = first
      })
  }
  return actions
}
