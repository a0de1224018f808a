import { MandateError } from '../../core/index.ts'

/** Refuses a limit that is negative or not a finite number. */
export function checkAmount(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new MandateError('CONFIG_INVALID', `${what} is ${String(value)}. Give a number from 0 up.`)
}
