import type { Json, JsonObject } from '../../core/index.ts'
import type { Entry } from '../../journal/index.ts'

/** Texts of up to this many characters are given whole. */
const WHOLE = 160

/** Members of entries that hold what users, models and tools said, of any size. */
const LARGE = new Set(['input', 'value', 'shown', 'output', 'message', 'edit', 'info', 'intent'])
/** Members that no list needs. */
const LEFT_OUT = new Set(['pins', 'blobs', 'hash', 'asked', 'signature', 'binding', 'seed', 'reserved', 'activeMs'])

/**
 * An entry for lists and timelines: everything that says what happened, with what is large cut to its beginning (`{ $preview, $bytes }`). It folds as the
 * whole entry does; the whole is one request away.
 */
export function lightEntry({ seq, at, type, key, data }: Entry): JsonObject {
  const cut = data === null ? null : cutMembers(data as unknown as JsonObject)
  // The time that a suspension or an end says is part of what it means.
  const told =
    type === 'run-suspend' || type === 'run-end'
      ? { activeMs: (data as { activeMs?: number } | null)?.activeMs ?? 0 }
      : {}
  return { seq, at, type, ...(key === undefined ? {} : { key }), data: cut === null ? null : { ...cut, ...told } }
}

function cutMembers(members: JsonObject): JsonObject {
  const kept: Record<string, Json> = {}
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || LEFT_OUT.has(name)) continue
    kept[name] = LARGE.has(name) ? cutValue(value) : isObject(value) ? cutMembers(value) : cutText(value)
  }
  return kept
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cutText(value: Json): Json {
  return typeof value === 'string' && value.length > 10 * WHOLE ? `${value.slice(0, 10 * WHOLE)}…` : value
}

function cutValue(value: Json): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= WHOLE ? value : { $preview: text.slice(0, WHOLE), $bytes: text.length }
}
