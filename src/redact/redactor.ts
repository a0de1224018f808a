import type { Json, JsonObject } from '../core/index.ts'
import type { RedactedStream } from './redaction-stream.ts'

/** Replaces what must not be seen. One redactor serves journals, events, logs and what minds are shown, so that they all agree. */
export interface Redactor {
  text(text: string): string
  /** The value of a named member: a name such as `password` says what looks alone do not. `text` when absent. */
  member?(name: string, text: string): string
  /** For text that comes in pieces. Without it each piece is redacted by itself, and what spans two of them is not found. */
  stream?(): RedactedStream
  /** The same, with tokens that mean something only within this scope. A keeper makes the tokens itself, and keeps what they stand for. */
  scoped?(scope: string, keeper?: TokenKeeper): Redactor
}

/** Gives each value that is replaced its token, and remembers which is whose. */
export interface TokenKeeper {
  /** `kind` is what it is: `secret:github-token`, `pii:email`. The same value always has the same token. */
  token(kind: string, value: string): string
}

/** Finds nothing. */
export const noRedaction: Redactor = { text: (text) => text }

/** Large values that were redacted before the entry that holds them is made, and by which redactor. */
let redacted: WeakMap<object, Redactor> | undefined

/** From now on this redactor gives this very value as it is. It must be frozen, and what that redactor made of another one. */
export function markRedacted(value: object, redactor: Redactor): void {
  ;(redacted ??= new WeakMap()).set(value, redactor)
}

/** Redacts every string of a value, keys included. Returns the same object when nothing changed. */
export function redactJson(value: Json, redactor: Redactor): Json {
  if (redactor === noRedaction) return value
  if (typeof value === 'string') return redactor.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (redacted?.get(value) === redactor) return value
  return Array.isArray(value)
    ? redactList(value as readonly Json[], redactor)
    : redactMembers(value as JsonObject, redactor)
}

function redactList(items: readonly Json[], redactor: Redactor): Json {
  let copy: Json[] | undefined
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    const safe = redactJson(item, redactor)
    if (safe === item) continue
    copy ??= [...items]
    copy[i] = safe
  }
  return copy ?? items
}

function redactMembers(value: JsonObject, redactor: Redactor): Json {
  let changes: Map<string, readonly [string, Json]> | undefined
  // Plain data has no members but its own; walking them makes no list.
  for (const name in value) {
    const item = value[name]!
    const newName = redactor.text(name)
    const safe =
      typeof item === 'string' && redactor.member !== undefined
        ? redactor.member(name, item)
        : redactJson(item, redactor)
    if (newName !== name || safe !== item) (changes ??= new Map()).set(name, [newName, safe])
  }
  if (changes === undefined) return value
  return Object.fromEntries(Object.entries(value).map((pair) => changes.get(pair[0]) ?? pair))
}

/** A redactor for text that comes in pieces; one that does not know about pieces takes each by itself. */
export function streamOf(redactor: Redactor): RedactedStream {
  return redactor.stream?.() ?? { push: (text) => redactor.text(text), end: () => '' }
}

/** The redactor with tokens of one scope, where it has such. */
export function inScope(redactor: Redactor, scope: string, keeper?: TokenKeeper): Redactor {
  return redactor.scoped?.(scope, keeper) ?? redactor
}
