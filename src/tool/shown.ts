import type { Json } from '../core/index.ts'

const PATH_MAX = 160
const SHOWN_MAX = 80

/** Formats a path like code: `items[2].name`. */
export function pathText(keys: readonly (string | number)[]): string {
  let text = ''
  for (const key of keys) {
    if (typeof key === 'number' || /^\d+$/.test(key)) text += `[${key}]`
    else if (/^[A-Za-z_$][\w$-]*$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${JSON.stringify(clip(key, SHOWN_MAX))}]`
    if (text.length > PATH_MAX) return clip(text, PATH_MAX)
  }
  return text
}

/** A value as JSON, shortened for messages. Serializes only the part that is shown, however large the value is. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  return clip(begin(value, SHOWN_MAX), SHOWN_MAX)
}

/** At least the first `room` characters of a value's JSON, and not much more. */
function begin(value: Json, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > room ? value.slice(0, room) : value)
  if (typeof value !== 'object' || value === null) return String(value)
  const isList = Array.isArray(value)
  const keys = isList ? value.keys() : Object.keys(value)
  let text = isList ? '[' : '{'
  for (const key of keys) {
    if (text.length > 1) text += ','
    if (!isList) text += `${JSON.stringify(String(key).slice(0, room))}:`
    text += begin((value as { readonly [key: string | number]: Json })[key]!, Math.max(8, room - text.length))
    if (text.length > room) return text
  }
  return text + (isList ? ']' : '}')
}

/** A text, truncated to `max` characters. */
export function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 3)}...` : text
}
