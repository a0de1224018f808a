import type { Json } from '../core/index.ts'
import type { ValidationIssue } from './tool.ts'

/** More would not help a model more. */
export const ISSUES_MAX = 10
const MESSAGE_MAX = 400
const PATH_MAX = 160
const SHOWN_MAX = 80

/** The issues as one text for a model: what to correct, one line each. */
export function describeIssues(issues: readonly ValidationIssue[]): string {
  const lines = issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `- ${issue.path === '' ? 'the input' : issue.path}: ${issue.message}`)
  const more = issues.length > ISSUES_MAX ? [`- and ${issues.length - ISSUES_MAX} more`] : []
  return ['The input is not valid. Correct it and call again:', ...lines, ...more].join('\n')
}

/** A message of any library in one line of bounded length; one that only says that it was made of an object is replaced. */
export function messageText(message: unknown): string {
  const text = typeof message === 'string' ? message : ''
  const [reason = ''] = text.slice(0, 4 * MESSAGE_MAX).split(/\n\s+at /)
  const line = clip(reason.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MESSAGE_MAX)
  return line === '' || /^\[object \w+\]$/.test(line) ? 'it was refused without a reason' : line
}

/** Writes a path the way code would: `items[2].name`. */
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

/** A value as it was given, short enough to be read. Only as much of it is written as is shown, however large it is. */
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

function clip(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 3)}...` : text
}

/** The value at a path, or nothing. Own members only. */
export function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  let at: Json | undefined = value
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key]
  }
  return at
}
