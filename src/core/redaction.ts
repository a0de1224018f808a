import type { Json } from './json.ts'

/** Replaces what must not be seen. One redactor serves journals, events, logs and what minds are shown, so that they all agree. */
export interface Redactor {
  text(text: string): string
}

/** Finds nothing. */
export const noRedaction: Redactor = { text: (text) => text }

/** Redacts every string of a value, keys included. Returns the same object when nothing changed. */
export function redactJson(value: Json, redactor: Redactor): Json {
  if (redactor === noRedaction) return value
  if (typeof value === 'string') return redactor.text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value as readonly Json[]
    const copy = items.map((item) => redactJson(item, redactor))
    return copy.some((item, i) => item !== items[i]) ? copy : value
  }
  let changed = false
  const copy = Object.entries(value).map(([key, item]): [string, Json] => {
    const pair: [string, Json] = [redactor.text(key), redactJson(item, redactor)]
    changed ||= pair[0] !== key || pair[1] !== item
    return pair
  })
  return changed ? Object.fromEntries(copy) : value
}

/** Applies redactors one after the other. */
export function composeRedactors(...redactors: readonly Redactor[]): Redactor {
  const real = redactors.filter((redactor) => redactor !== noRedaction)
  if (real.length === 0) return noRedaction
  return { text: (text) => real.reduce((redacted, redactor) => redactor.text(redacted), text) }
}

export interface KnownValues extends Redactor {
  /** From now on this value is replaced wherever it appears. */
  add(name: string, value: string): void
}

/** Redacts exact values as they become known: the secrets that performers resolved. Very short ones are left, since they would match everywhere. */
export function knownValues(): KnownValues {
  const known = new Map<string, string>()
  let sorted: readonly (readonly [string, string])[] | undefined
  const byLength = (): readonly (readonly [string, string])[] =>
    (sorted ??= [...known].sort(([a], [b]) => b.length - a.length))
  return {
    add(name, value) {
      if (value.length < 4) return
      known.set(value, `[secret:${name}]`)
      sorted = undefined
    },
    text(text) {
      // The longest first, so that a secret which begins with another one leaves no rest behind; by function, so that `$&` in a name means nothing.
      let redacted = text
      for (const [value, token] of byLength()) redacted = redacted.replaceAll(value, () => token)
      return redacted
    },
  }
}
