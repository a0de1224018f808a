import { patternOf } from './schema-patterns.ts'
import type { Json } from '../../core/index.ts'
import { shown } from '../shown.ts'

/** The expectation of a keyword, and the actual value. */
interface Misfit {
  readonly wanted: Json | undefined
  readonly given: Json | undefined
  /** The message of the validator. */
  readonly error: string
}

const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:30:00Z',
  time: '09:30:00Z',
  duration: 'PT1H30M',
  email: 'name@host.example',
  hostname: 'host.example',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://host.example/path',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
}

/** One sentence per keyword that a model can act on: the expected and the actual value. */
export const WORDS: Readonly<Record<string, (misfit: Misfit) => string>> = {
  type: ({ wanted, given }) => `expected ${typeNames(wanted)}, given ${shown(given)}${hint(wanted, given)}`,
  enum: ({ wanted, given }) => `expected one of ${shown(wanted)}, given ${shown(given)}`,
  const: ({ wanted, given }) => `expected ${shown(wanted)}, given ${shown(given)}`,
  pattern: ({ wanted, given }) => `expected text that matches /${text(wanted)}/, given ${shown(given)}`,
  format: ({ wanted, given, ...rest }) =>
    patternOf(wanted) === undefined
      ? `expected the format ${shown(wanted)}${example(wanted)}, given ${shown(given)}`
      : WORDS['pattern']!({ ...rest, given, wanted: patternOf(wanted) }),
  minimum: ({ wanted, given }) => `expected at least ${shown(wanted)}, given ${shown(given)}`,
  maximum: ({ wanted, given }) => `expected at most ${shown(wanted)}, given ${shown(given)}`,
  exclusiveMinimum: ({ wanted, given }) => `expected more than ${shown(wanted)}, given ${shown(given)}`,
  exclusiveMaximum: ({ wanted, given }) => `expected less than ${shown(wanted)}, given ${shown(given)}`,
  multipleOf: ({ wanted, given }) => `expected a multiple of ${shown(wanted)}, given ${shown(given)}`,
  minLength: ({ wanted, given }) => `expected at least ${shown(wanted)} characters, given ${sized(given)}`,
  maxLength: ({ wanted, given }) => `expected at most ${shown(wanted)} characters, given ${sized(given)}`,
  minItems: ({ wanted, given }) => `expected at least ${shown(wanted)} items, given ${sized(given)}`,
  maxItems: ({ wanted, given }) => `expected at most ${shown(wanted)} items, given ${sized(given)}`,
  minProperties: ({ wanted, given }) => `expected at least ${shown(wanted)} members, given ${sized(given)}`,
  maxProperties: ({ wanted, given }) => `expected at most ${shown(wanted)} members, given ${sized(given)}`,
  uniqueItems: ({ error, given }) =>
    `all items must differ, but ${repeated(error)} are the same, given ${shown(given)}`,
  not: ({ wanted, given }) => `must not fit ${shown(wanted)}, given ${shown(given)}`,
  contains: ({ wanted, given }) => `needs an item that fits ${shown(wanted)}, given ${shown(given)}`,
  minContains: ({ wanted, given }) =>
    `needs at least ${shown(wanted)} items of the kind it must contain, given ${shown(given)}`,
  maxContains: ({ wanted, given }) =>
    `may have at most ${shown(wanted)} items of the kind it must contain, given ${shown(given)}`,
}

/** The names of types as words: `string or null`. */
export function typeNames(types: Json | undefined): string {
  return Array.isArray(types) ? types.join(' or ') : typeof types === 'string' ? types : 'another type'
}

/** A hint about the most common mistakes of models: numbers and whole values written as text. */
function hint(wanted: Json | undefined, given: Json | undefined): string {
  const types: readonly unknown[] = Array.isArray(wanted) ? wanted : [wanted]
  if (typeof given !== 'string' || given.length > 100_000) return ''
  const isNumber = given.trim() !== '' && Number.isFinite(Number(given))
  if (isNumber && (types.includes('number') || types.includes('integer'))) return ' (write the number without quotes)'
  if (/^(?:true|false)$/.test(given) && types.includes('boolean')) return ' (write it without quotes)'
  const opening = given.trimStart()[0]
  const isWritten = (opening === '{' && types.includes('object')) || (opening === '[' && types.includes('array'))
  return isWritten ? ' (give the value itself, not its text)' : ''
}

function example(format: Json | undefined): string {
  const found = typeof format === 'string' && Object.hasOwn(EXAMPLES, format) ? EXAMPLES[format] : undefined
  return found === undefined ? '' : `, e.g. ${found}`
}

/** A value with its size: visible characters of a text, items, members. */
function sized(value: Json | undefined): string {
  if (typeof value === 'string') return `${codePoints(value)} (${shown(value)})`
  const size = Array.isArray(value) ? value.length : Object.keys(value ?? {}).length
  return `${size} (${shown(value)})`
}

function codePoints(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}

function repeated(error: string): string {
  const [, first, second] = /indexes (\d+) and (\d+)/.exec(error) ?? []
  return first === undefined ? 'two' : `[${first}] and [${second}]`
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
