import { MandateError } from '../../core/index.ts'
import { chargeString } from '../meter/live.ts'
import type { Guest } from '../value/guest.ts'

/** A serialized object: its kind, its labels and its parts. */
export type Cell = readonly unknown[]

export function damaged(what: string): never {
  throw new MandateError('INPUT_INVALID', `The kept values cannot be read: ${what}. They were changed or cut.`)
}

export function list(value: unknown): Cell {
  return Array.isArray(value) ? value : damaged('a list is missing')
}

export function text(value: unknown): string {
  if (typeof value !== 'string') return damaged('a text is missing')
  chargeString(value.length)
  return value
}

export function number(value: Guest): number {
  return typeof value === 'number' ? value : damaged('a number is missing')
}

export function whole(value: unknown, end: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < end
    ? value
    : damaged('a number is out of range')
}

export function oddNumber(value: unknown): number {
  if (value === '-0') return -0
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : damaged('a number is none')
}
