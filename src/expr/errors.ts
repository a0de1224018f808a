import { MandateError } from '../core/index.ts'
import type { ExprLimits } from './limits.ts'

/** An invalid expression, with location and correction. */
export function invalid(message: string, info: unknown): MandateError {
  return new MandateError('EXPR_INVALID', message, { info })
}

/** An error in a node, with its path. */
export function wrong(path: readonly (string | number)[], problem: string): MandateError {
  return invalid(`The expression is wrong at \`${path.join('.')}\`: ${problem}.`, { path: path.slice(1) })
}

/** An expression whose operands have unsupported types. */
export function failed(message: string, cause?: unknown): MandateError {
  return new MandateError('EXPR_FAILED', message, { cause })
}

/** An exceeded limit; `info.limit` names it. */
export function overLimit(limit: keyof ExprLimits, max: number): MandateError {
  return new MandateError('LIMIT_EXCEEDED', `The expression is over the limit \`${limit}\` of ${max}.`, {
    info: { limit, max },
  })
}
