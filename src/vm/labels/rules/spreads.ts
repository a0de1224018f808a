import { firstOf, listOf } from '../../machine/iteration/iterate.ts'
import { IN_TRY, live } from '../../meter/live.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { CHOSEN, LABEL_BITS } from '../bits.ts'
import { isHolder, totalLabel } from '../heap.ts'
import { noteMayThrow } from './variables.ts'

interface SpreadItems {
  readonly items: readonly Guest[]
  readonly bits: number
}

/** The items of a spread value, and the join of the labels that decided what they are. */
export function spreadItems(value: Guest, own: number, limit?: number): SpreadItems {
  const whole = isHolder(value) ? own | totalLabel(value) | live.heapFloor : own
  if (value instanceof GuestArray || typeof value !== 'object') {
    if (own !== 0) live.machine.flow!.noteIteration(own)
    return { items: listOf(value).items, bits: whole }
  }
  const { pc } = live
  live.machine.flow!.noteIteration(own)
  live.label = whole
  if (whole !== 0) live.pc |= whole | CHOSEN
  const { items } = limit === undefined ? listOf(value) : firstOf(value, limit)
  const bits = whole | (live.label & LABEL_BITS)
  if ((pc & IN_TRY) === 0) live.pc = pc
  live.label = bits
  if (bits !== 0) noteMayThrow()
  return { items, bits }
}
