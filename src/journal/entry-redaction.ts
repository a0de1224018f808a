import { redactJson } from '../redact/index.ts'
import type { Json, JsonObject } from '../core/index.ts'
import type { Redactor } from '../redact/index.ts'
import type { EntryType } from './entry.ts'
import type { EffectEndData, EffectStartData, EntryDataByType } from './entry-data.ts'

/**
 * The members that may hold text of users, models and tools. `Own` are the kernel's: numbers, hashes and names of its choice. A member that is in
 * neither list is a type error.
 */
type Foreign<D, Own extends keyof D> = { readonly [F in Exclude<keyof D, Own>]-?: true }

const START: Foreign<
  EffectStartData,
  'activeMs' | 'asked' | 'hash' | 'idempotencyKey' | 'kind' | 'repeatable' | 'reserved'
> = {
  decision: true,
  input: true,
  intent: true,
  labels: true,
  name: true,
}
const END: Foreign<EffectEndData, 'activeMs' | 'asked' | 'blobs' | 'durationMs' | 'spent' | 'start'> = {
  meta: true,
  outcome: true,
}

/** The members to redact in the entries of effects, which are the most frequent; in other entries all members are redacted. */
const FOREIGN: { readonly [T in EntryType]?: readonly string[] } = {
  'effect-start': Object.keys(START),
  'effect-end': Object.keys(END),
}

/** Redacts the data of an entry. Returns the same object if nothing was replaced. */
export function redactData<T extends EntryType>(
  type: T,
  data: EntryDataByType[T],
  redactor: Redactor,
): EntryDataByType[T] {
  // Redaction replaces strings by strings, so the type of the data does not change.
  return redactMembers(type, data as object as JsonObject, redactor) as object as EntryDataByType[T]
}

function redactMembers(type: EntryType, data: JsonObject, redactor: Redactor): JsonObject {
  const foreign = FOREIGN[type]
  if (foreign === undefined) return redactJson(data, redactor) as JsonObject
  let copy: Record<string, Json> | undefined
  for (const name of foreign) {
    const member = data[name]
    if (member === undefined) continue
    const safe =
      typeof member === 'string'
        ? (redactor.member?.(name, member) ?? redactor.text(member))
        : redactJson(member, redactor)
    if (safe !== member) (copy ??= { ...data })[name] = safe
  }
  return copy ?? data
}
