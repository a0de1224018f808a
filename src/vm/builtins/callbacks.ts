import { SMALL } from '../machine/frame.ts'
import { callWith, invoke1, invoke2, invoke3, requireCallable } from '../machine/invoke.ts'
import type { Guest } from '../value/guest.ts'
import { GuestFunction } from '../value/guest-function.ts'

/** Calls a callback with an item, its index and the list. */
export type ItemCall = (item: Guest, place: Guest, whole: Guest) => Guest

/** Functions see only declared parameters, so fewer arguments are passed to those that declare fewer. */
export function itemCall(fn: Guest, method: string): ItemCall {
  requireCallable(fn, method)
  if (fn instanceof GuestFunction && fn.code.isPlain) {
    const { code, boxes } = fn
    if (code.params === 1 && code.slots <= SMALL) return (item) => callWith(code, [boxes, undefined, item, undefined])
    if (code.params <= 1) return (item) => invoke1(fn, item)
    if (fn.code.params === 2) return (item, place) => invoke2(fn, item, place)
  }
  return (item, place, whole) => invoke3(fn, item, place, whole)
}
