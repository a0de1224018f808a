import { charge } from '../meter/live.ts'
import type { GuestMap, GuestSet } from './collections.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'

/** What an iterator gives of each item. */
export type IteratorMode = 'keys' | 'values' | 'entries'

/**
 * What `keys()`, `values()`, `entries()` and `matchAll()` give: the items that are left. Spread and the like read it as the
 * list it is, as of the call; `next` takes items off its front; loops go through what it was made of, and see what changes.
 */
export class ListIterator extends GuestArray {
  /** What it was made of and gives item by item; nothing once `next` was called. */
  source: GuestArray | GuestMap | GuestSet | null = null
  mode: IteratorMode = 'values'
}

/** Makes one from items that are paid for. */
export function iteratorOf(
  items: Guest[],
  source: ListIterator['source'] = null,
  mode: IteratorMode = 'values',
): ListIterator {
  charge(48)
  const made = new ListIterator(items)
  made.source = source
  made.mode = mode
  return made
}
