import { AssertionError } from 'node:assert'
import { fits } from './partial-match.ts'

/** An event of a stream, or an entry of a journal. */
interface Happening {
  readonly type: string
  readonly key?: string | undefined
  readonly data: unknown
}

/**
 * A pattern for an event or entry: a type (`run-end`), a type with its key (`effect-start tool:1`), an object whose members must all match (text by regular
 * expression if one is given, and `data` partially), or a function.
 */
export type Pattern<T extends Happening = Happening> =
  | string
  | { readonly type: string; readonly key?: string | RegExp | undefined; readonly data?: unknown }
  | ((happening: T) => boolean)

export interface SequenceOptions {
  /** No other events may occur before, in between or after. */
  readonly exact?: boolean | undefined
}

const SHOWN_MAX = 12

export function isLike<T extends Happening>(happening: T, pattern: Pattern<T>): boolean {
  if (typeof pattern === 'function') return pattern(happening)
  if (typeof pattern === 'object') return fits(happening, pattern)
  const [type, key] = pattern.split(' ', 2)
  return happening.type === type && (key === undefined || happening.key === key)
}

/** Throws unless the patterns match in order. The message reports which one did not, after which event, and what occurred instead. */
export function assertSequence<T extends Happening>(
  found: readonly T[],
  expected: readonly Pattern<T>[],
  what: string,
  options: SequenceOptions = {},
): void {
  let at = 0
  let last = -1
  for (const [index, pattern] of expected.entries()) {
    const next =
      options.exact === true
        ? matchAt(found, at, pattern)
        : found.findIndex((one, i) => i >= at && isLike(one, pattern))
    if (next < 0) throw missing(found, expected, { what, index, last })
    last = next
    at = next + 1
  }
  if (options.exact === true && at < found.length) {
    const extra = found.slice(at)
    throw complaint(
      `${what}: after all ${expected.length} expected, ${extra.length} more came: ${listOf(extra)}.`,
      found,
      expected,
    )
  }
}

function matchAt<T extends Happening>(found: readonly T[], at: number, pattern: Pattern<T>): number {
  const one = found[at]
  return one !== undefined && isLike(one, pattern) ? at : -1
}

interface Gap {
  readonly what: string
  readonly index: number
  readonly last: number
}

function missing<T extends Happening>(
  found: readonly T[],
  expected: readonly Pattern<T>[],
  { what, index, last }: Gap,
): AssertionError {
  const rest = found.slice(last + 1)
  const before = last < 0 ? 'from the beginning' : `after ${describeHappening(found[last]!)} (number ${last + 1})`
  const earlier = found.slice(0, last + 1).findLastIndex((one) => isLike(one, expected[index]!))
  const lines = [
    `${what}: number ${index + 1} of ${expected.length} did not come: ${describePattern(expected[index]!)}.`,
    `It was looked for ${before}. What came instead: ${rest.length === 0 ? 'nothing more' : listOf(rest)}.`,
    ...(earlier >= 0 ? [`It did come earlier, as number ${earlier + 1}: the order differs.`] : []),
  ]
  return complaint(lines.join('\n'), found, expected)
}

function complaint<T extends Happening>(
  message: string,
  found: readonly T[],
  expected: readonly Pattern<T>[],
): AssertionError {
  return new AssertionError({
    message,
    actual: found.map(describeHappening),
    expected: expected.map(describePattern),
    operator: 'sequence',
  })
}

function listOf(happenings: readonly Happening[]): string {
  const shown = happenings.slice(0, SHOWN_MAX).map(describeHappening)
  return [...shown, ...(happenings.length > SHOWN_MAX ? [`and ${happenings.length - SHOWN_MAX} more`] : [])].join(', ')
}

/** Formats an event as `type key (name)`; key and name are left out if there are none. */
export function describeHappening({ type, key, data }: Happening): string {
  const name = typeof data === 'object' && data !== null ? (data as { name?: unknown }).name : undefined
  return [type, key, typeof name === 'string' ? `(${name})` : undefined].filter((part) => part !== undefined).join(' ')
}

function describePattern(pattern: Pattern<never>): string {
  if (typeof pattern === 'string') return pattern
  if (typeof pattern === 'function') return pattern.name === '' ? 'a function' : pattern.name
  const text = JSON.stringify(pattern, (_key, value: unknown) => (value instanceof RegExp ? String(value) : value))
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
