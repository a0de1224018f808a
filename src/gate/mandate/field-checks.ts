import { MandateError, nearest } from '../../core/index.ts'
import { shown } from '../rules/targets.ts'

/** A part of a mandate before validation. */
export type Fields = { readonly [field: string]: unknown }

export function fieldsOf(value: unknown, place: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(place, 'must be an object.')
  return value as Fields
}

export function listOf(value: unknown, place: string): [unknown, string][] {
  if (!Array.isArray(value) || value.length === 0) return refuse(place, 'must be a list that is not empty.')
  return (value as unknown[]).map((item, index) => [item, `${place}[${index}]`])
}

export function itemsOf(value: unknown, place: string): [Fields, string][] {
  if (!Array.isArray(value)) return refuse(place, 'must be a list.')
  return (value as unknown[]).map((item, index) => [fieldsOf(item, `${place}[${index}]`), `${place}[${index}]`])
}

/** Validates a list of rules with unique ids. */
export function checkNamed(value: unknown, field: string, check: (rule: Fields, place: string) => void): void {
  const ids = new Set<unknown>()
  for (const [rule, place] of itemsOf(value, field)) {
    check(rule, place)
    if (ids.has(rule['id'])) refuse(`${place}.id`, 'is used by an earlier rule too. Give each its own.')
    ids.add(rule['id'])
  }
}

export function onlyFields(value: Fields, known: readonly string[], place: string): void {
  const other = Object.keys(value).find((field) => !known.includes(field))
  if (other === undefined) return
  const meant = nearest(other, known)
  refuse(
    `${place}.${other}`,
    `is not known. ${meant === undefined ? `Use only: ${known.join(', ')}.` : `Did you mean "${meant}"?`}`,
  )
}

export function checkPattern(name: unknown, place: string): void {
  if (!isText(name) || name.trim() !== name) refuse(place, 'must be the name of a tool.')
  else if (name.slice(0, -1).includes('*')) refuse(place, `is ${shown(name)}: "*" may only stand at the end of a name.`)
}

export function wholeNumber(value: unknown, place: string, least: number): void {
  if (!Number.isInteger(value) || (value as number) < least) refuse(place, `must be a whole number from ${least} up.`)
}

export function oneOf(value: unknown, known: readonly string[], place: string): void {
  if (known.includes(value as string)) return
  const meant = typeof value === 'string' ? nearest(value, known) : undefined
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  refuse(place, `is ${shown(value)}.${hint} Use one of: ${known.join(', ')}.`)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

export function refuse(field: string, problem: string): never {
  throw new MandateError('CONFIG_INVALID', `\`mandate.${field}\` ${problem}`, { info: { field } })
}
