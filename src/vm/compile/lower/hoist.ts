import type { Emitter } from '../emit/emitter.ts'
import type { Ex } from '../ir.ts'
import type { St } from '../ir-statements.ts'
import { suspends } from '../suspends.ts'

/** Hoists the helper call out of a JSON step: the call first, then the assignment of its result. */
export function hoistCore(st: St, emit: Emitter): readonly St[] {
  if ((st.k !== 'expr' && st.k !== 'constset') || suspends(st) === 0) return [st]
  const { value } = st
  const call = value.k === 'assign' ? value.value : value
  if (call.k !== 'call') return [st]
  const slot = emit.fn.ownSlot()
  const got: Ex = { k: 'temp', slot }
  const begun: St = { k: 'callto', slot, call, op: st.op, path: st.path }
  return [begun, { ...st, value: value.k === 'assign' ? { ...value, value: got } : got }]
}
