import { memberPointer } from '../../core/index.ts'
import type { EffectLabels, Json, Label } from '../../core/index.ts'

/**
 * The labels of a call that a model made: those of everything it was shown, for every part. Only values that occur in the user's own words are unlabelled,
 * regardless of why the model used them.
 */
export function inputLabels(input: Json, said: readonly string[], shown: readonly Label[]): EffectLabels | undefined {
  if (shown.length === 0) return undefined
  const own: string[] = []
  collect(input, '', { own, said })
  if (own.length === 0) return shown
  return { at: { '': shown, ...Object.fromEntries(own.map((pointer) => [pointer, []])) }, pc: shown }
}

function collect(value: Json, pointer: string, found: { own: string[]; said: readonly string[] }): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) collect(member, memberPointer(pointer, name), found)
  } else if (isTelling(value) && found.said.some((text) => standsIn(text, String(value)))) found.own.push(pointer)
}

/**
 * Whether a value is specific enough to be the user's: a URL, a path, a number or a phrase. A single word such as "all" may have been about something
 * else.
 */
function isTelling(value: Json): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && /[^\p{L}]/u.test(value.trim()))
}

const BEFORE = /(?:^|[\s"'`(<[{,;])$/u
const AFTER = /^(?:$|[\s"'`)>\]},;]|[.!?:](?:$|\s))/u

/** Whether a value occurs in a text by itself, not as part of a longer value. */
function standsIn(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1))
    if (
      BEFORE.test(text.slice(Math.max(0, at - 1), at)) &&
      AFTER.test(text.slice(at + value.length, at + value.length + 2))
    )
      return true
  return false
}
