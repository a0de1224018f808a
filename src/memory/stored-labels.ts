import { joinLabels, isRecord } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'

/** Beside the members of a stored object, so that queries over them still find it. */
const LABELS = 'mandate:labels'
/** What is no object is wrapped in one. */
const VALUE = 'mandate:value'

/** A value as it is stored: with its labels, where it has any. */
export function packLabels(value: Json, labels: readonly Label[]): Json {
  const before = unpackLabels(value)
  const all = joinLabels(labels, before.labels)
  if (all.length === 0) return before.value
  return isRecord(before.value) ? { ...before.value, [LABELS]: all } : { [LABELS]: all, [VALUE]: before.value }
}

/** A stored value as it was, and its labels. One that says nothing of them has none. */
export function unpackLabels(stored: Json): { readonly value: Json; readonly labels: readonly Label[] } {
  if (!isRecord(stored) || !Object.hasOwn(stored, LABELS)) return { value: stored, labels: [] }
  const { [LABELS]: labels, ...rest } = stored
  const value = Object.hasOwn(rest, VALUE) ? (rest[VALUE] ?? null) : rest
  return { value, labels: Array.isArray(labels) ? (labels as readonly Json[]).filter(isText) : [] }
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}
