import { MandateError, errorInfo, messageOf } from '../../core/index.ts'

/** Converts any thrown value to an error with a code. */
export function asFailure(error: unknown): MandateError {
  if (MandateError.isInstance(error)) return error
  const { code, message, info } = errorInfo(error)
  return new MandateError(code, message, { info, cause: error })
}

/** Calls a function that came with the options. What it throws is reported as its own, with the cause; an error with a code is passed on as it is. */
export async function callGiven<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (MandateError.isInstance(error)) throw error
    throw new MandateError('MIND_FAILED', `${name} threw an error: ${messageOf(error)}`, { cause: error })
  }
}

/** What a function returned, for an error message. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
