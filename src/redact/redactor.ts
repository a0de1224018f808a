import type { Json, JsonObject } from '../core/index.ts'
import type { RedactedStream } from './redaction-stream.ts'

/** Replaces what must be hidden. One redactor is used for journals, events, logs and the inputs of minds, so that they agree. */
export interface Redactor {
  /** Replaces secrets and personal data in a text. */
  text(text: string): string
  /** The value of a named member: a name such as `password` reveals more than the form of a value. `text` by default. */
  member?(name: string, text: string): string
  /** Redacts a stream of text. Without it each piece is redacted separately, and a secret across two pieces is not found. */
  stream?(): RedactedStream
  /**
   * The same with tokens that are valid only within this scope. A keeper creates the tokens itself, and keeps their values; otherwise `found` is called
   * with each token and its value.
   */
  scoped?(scope: string, keeper?: TokenKeeper, found?: (token: string, value: string) => void): Redactor
}

/** Assigns a token to each replaced value, and keeps the value. */
export interface TokenKeeper {
  /** `kind` is `secret:github-token`, `pii:email` and so on. The same value always has the same token. */
  token(kind: string, value: string): string
}

/** Redacts nothing. */
export const noRedaction: Redactor = { text: (text) => text }

/** Large values that were redacted before their entry was created, with their redactor. */
let redacted: WeakMap<object, Redactor> | undefined

/** Marks a value as redacted: this redactor then returns it unchanged. It must be frozen, and a result of that redactor. */
export function markRedacted(value: object, redactor: Redactor): void {
  ;(redacted ??= new WeakMap()).set(value, redactor)
}

/** Redacts every string of a value, including keys. Returns the same object if nothing changed. */
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
  // Plain data has only own members, and `for … in` allocates no list of them.
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

/** The stream of a redactor; without its own each piece is redacted separately. */
export function streamOf(redactor: Redactor): RedactedStream {
  return redactor.stream?.() ?? { push: (text) => redactor.text(text), end: () => '' }
}

/** The redactor with tokens of one scope, if it supports scopes. */
export function inScope(redactor: Redactor, scope: string, keeper?: TokenKeeper): Redactor {
  return redactor.scoped?.(scope, keeper) ?? redactor
}
