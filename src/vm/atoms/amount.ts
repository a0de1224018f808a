import { MandateError } from '../../core/index.ts'

/** Refuses what would make a limit meaningless: fewer than nothing, no number, no end. */
export function checkAmount(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  throw new MandateError('CONFIG_INVALID', `${what} is ${String(value)}. Give a number from 0 up.`)
}
