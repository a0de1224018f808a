import { MandateError, errorInfo } from '../../core/index.ts'

/** Whatever was thrown, as an error with a code. */
export function asFailure(error: unknown): MandateError {
  if (MandateError.isInstance(error)) return error
  const { code, message, info } = errorInfo(error)
  return new MandateError(code, message, { info, cause: error })
}
