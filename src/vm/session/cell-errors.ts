import { MandateError, errorInfo } from '../../core/index.ts'
import type { VmError } from '../machine/result.ts'
import { Stop } from '../meter/stop.ts'
import { thrown } from '../value/thrown.ts'
import type { CellEnd } from './cell-session.ts'

/** Converts an error of the host to one that the cell can catch, unless it is a limit. */
export function asGuest<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!MandateError.isInstance(error)) throw error
    if (error.code === 'LIMIT_EXCEEDED') throw new Stop(errorInfo(error))
    throw thrown('TypeError', error.message)
  }
}

/** Returns the end of a cell whose source cannot be parsed. */
export function unread(error: unknown): CellEnd {
  if (!MandateError.isInstance(error)) throw error
  const { line, column } = (error.info ?? {}) as { line?: number; column?: number }
  const place = line === undefined ? {} : { line, column }
  const { code, message, info } = errorInfo(error)
  const told: VmError = { code, message, info, ...place }
  return { value: undefined, error: told, reached: [], fuelUsed: 0, memoryPeak: 0, warnings: [], changed: [] }
}
