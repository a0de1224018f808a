import { joinLabels, isRecord } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'

/** A member beside those of a stored object, so that queries still match the object. */
const LABELS = 'mandate:labels'
/** The member that holds a value which is not an object. */
const VALUE = 'mandate:value'

/** A value with its labels, as stored. */
export function packLabels(value: Json, labels: readonly Label[]): Json {
  const before = unpackLabels(value)
  const all = joinLabels(labels, before.labels)
  if (all.length === 0) return before.value
  return isRecord(before.value) ? { ...before.value, [LABELS]: all } : { [LABELS]: all, [VALUE]: before.value }
}

/** A stored value without its labels, and the labels. */
export function unpackLabels(stored: Json): { readonly value: Json; readonly labels: readonly Label[] } {
  if (!isRecord(stored) || !Object.hasOwn(stored, LABELS)) return { value: stored, labels: [] }
  const { [LABELS]: labels, ...rest } = stored
  const value = Object.hasOwn(rest, VALUE) ? (rest[VALUE] ?? null) : rest
  return { value, labels: Array.isArray(labels) ? (labels as readonly Json[]).filter(isText) : [] }
}

function isText(value: Json): value is string {
  return typeof value === 'string'
}
