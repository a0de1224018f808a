import type { Json } from '../core/index.ts'
import type { ValidationIssue } from './tool.ts'

/** More would not help a model more. */
export const ISSUES_MAX = 10

/** The issues as one text for a model: what to correct, one line each. */
export function describeIssues(issues: readonly ValidationIssue[]): string {
  const lines = issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `- ${issue.path === '' ? 'the input' : issue.path}: ${issue.message}`)
  const more = issues.length > ISSUES_MAX ? [`- and ${issues.length - ISSUES_MAX} more`] : []
  return ['The input is not valid. Correct it and call again:', ...lines, ...more].join('\n')
}

/** Writes a path the way code would: `items[2].name`. */
export function pathText(keys: readonly (string | number)[]): string {
  let text = ''
  for (const key of keys) {
    if (typeof key === 'number' || /^\d+$/.test(key)) text += `[${key}]`
    else if (/^[A-Za-z_$][\w$-]*$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${JSON.stringify(key)}]`
  }
  return text
}

/** A value as it was given, short enough to be read. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  // A long text is cut before it is written, since writing it whole would cost its whole length.
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, 80) : value)
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
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
