import type { Ex } from '../compile/ir.ts'
import type { St } from '../compile/ir-statements.ts'
import type { FunctionInfo } from '../compile/lower/scope.ts'

const sources = new WeakMap<FunctionInfo, Map<number, Ex>>()

/** Returns the temporary slot that a hoisted statement sets, and the expression that the slot replaces. */
export function tempSource(st: St): readonly [slot: number, value: Ex] | undefined {
  if (st.k === 'settemp') return [st.slot, st.value]
  if (st.k === 'awaitto') return [st.slot, { k: 'await', argument: st.value }]
  if (st.k === 'yieldto') return [st.slot, { k: 'yield', kind: st.kind, argument: st.value }]
  return st.k === 'callto' ? [st.slot, st.call] : undefined
}

/** Records it, so that later analyses see the expression as before hoisting. */
export function noteTemp(info: FunctionInfo, st: St): void {
  const found = tempSource(st)
  if (found === undefined) return
  let known = sources.get(info)
  if (known === undefined) sources.set(info, (known = new Map<number, Ex>()))
  known.set(...found)
}

export function notedTemp(info: FunctionInfo, slot: number): Ex | undefined {
  return sources.get(info)?.get(slot)
}
