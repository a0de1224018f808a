import type { FunctionInfo } from '../compile/lower/scope.ts'
import type { Fn } from '../compile/ir.ts'
import { fnOf } from './unlabelled-variables.ts'

const FIRST = 2
const extraSlots = new WeakMap<FunctionInfo, Map<number, number>>()

/** Doubles the frame of a function: the labels of variables follow the variables. */
export function reserve(fn: Fn): void {
  const info = fn.info!
  fnOf.set(info, fn)
  info.labelOffset = info.size - FIRST
  info.size += info.labelOffset
}

/** The frame slot of the label of another slot. */
export function labelSlot(info: FunctionInfo, slot: number): number {
  if (slot < info.labelOffset + FIRST) return slot + info.labelOffset
  let own = extraSlots.get(info)
  if (own === undefined) extraSlots.set(info, (own = new Map()))
  let at = own.get(slot)
  if (at === undefined) own.set(slot, (at = info.ownSlot()))
  return at
}
