import { createGate } from '../../gate/index.ts'
import type { Gate, Mandate } from '../../gate/index.ts'

const NOTHING: Mandate = Object.freeze({})

/** Gates by the mandate and those above it. Creating one compiles its rules, and a service starts many runs under the same mandates. */
const made = new WeakMap<Mandate, { readonly above: readonly Mandate[]; readonly gate: Gate }[]>()

/** The gate of a run under these mandates, nearest first. Mandates that are not frozen are read again for every run. */
export function gateFor(mandates: readonly Mandate[]): Gate {
  const [own = NOTHING, ...above] = mandates
  if (![own, ...above].every(Object.isFrozen)) return createGate({ mandate: own, above })
  const known = made.get(own) ?? []
  const found = known.find((other) => areSame(other.above, above))
  if (found !== undefined) return found.gate
  const gate = createGate({ mandate: own, above })
  made.set(own, [...known, { above, gate }])
  return gate
}

/** Whether two lists hold the same mandate objects in the same order. */
function areSame(some: readonly Mandate[], others: readonly Mandate[]): boolean {
  return some.length === others.length && some.every((mandate, level) => mandate === others[level])
}
