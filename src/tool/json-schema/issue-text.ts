import type { Json } from '../../core/index.ts'
import { clip } from '../shown.ts'
import type { ValidationIssue } from '../tool.ts'

/** More issues would not help a model. */
export const ISSUES_MAX = 10
const MESSAGE_MAX = 400

/** The issues as one text for a model: what to correct, one line each. */
export function describeIssues(issues: readonly ValidationIssue[]): string {
  return `The input is not valid. Correct it and call again:\n${listIssues(issues, 'the input')}`
}

/** The issues, one line each. */
export function listIssues(issues: readonly ValidationIssue[], whole: string): string {
  const lines = issues
    .slice(0, ISSUES_MAX)
    .map((issue) => `- ${issue.path === '' ? whole : issue.path}: ${issue.message}`)
  const more = issues.length > ISSUES_MAX ? [`- and ${issues.length - ISSUES_MAX} more`] : []
  return [...lines, ...more].join('\n')
}

/** A message of any library as one line of bounded length; a useless one ("[object Object]") is replaced. */
export function messageText(message: unknown): string {
  const text = typeof message === 'string' ? message : ''
  const [reason = ''] = text.slice(0, 4 * MESSAGE_MAX).split(/\n\s+at /)
  const line = clip(reason.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MESSAGE_MAX)
  return line === '' || /^\[object \w+\]$/.test(line) ? 'it was refused without a reason' : line
}

/** The value at a path of own members; `undefined` if there is none. */
export function valueAt(value: Json, keys: readonly string[]): Json | undefined {
  let at: Json | undefined = value
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as { readonly [key: string]: Json })[key]
  }
  return at
}
