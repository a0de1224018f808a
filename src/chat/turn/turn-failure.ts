import { MandateError, errorInfo } from '../../core/index.ts'

/** Converts any thrown value to an error with a code. */
export function asFailure(error: unknown): MandateError {
  if (MandateError.isInstance(error)) return error
  const { code, message, info } = errorInfo(error)
  return new MandateError(code, message, { info, cause: error })
}
