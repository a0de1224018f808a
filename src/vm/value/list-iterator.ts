import { charge } from '../meter/live.ts'
import type { GuestMap, GuestSet } from './collections.ts'
import type { Guest } from './guest.ts'
import { GuestArray } from './guest-array.ts'
import type { GuestNative } from './native/guest-native.ts'

/** What an iterator yields per item. */
export type IteratorMode = 'keys' | 'values' | 'entries'

/**
 * The iterator of `keys()`, `values()`, `entries()` and `matchAll()`, as a list of the remaining items. Spread reads it as the
 * list as of the call; `next` removes items from its front; loops iterate its source live.
 */
export class ListIterator extends GuestArray {
  /** Its source, iterated live by loops; null once `next` was called. */
  source: GuestArray | GuestMap | GuestSet | GuestNative | null = null
  mode: IteratorMode = 'values'
}

/** Makes an iterator over items that are charged already. */
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
