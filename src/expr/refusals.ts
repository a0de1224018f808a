import { MandateError } from '../core/index.ts'
import type { ExprLimits } from './limits.ts'

/** What is not an expression, with where and what to write instead. */
export function invalid(message: string, info: { readonly [fact: string]: unknown }): MandateError {
  return new MandateError('EXPR_INVALID', message, { info })
}

/** An expression that met values it cannot work with. */
export function failed(message: string, info?: { readonly [fact: string]: unknown }): MandateError {
  return new MandateError('EXPR_FAILED', message, { info })
}

/** A limit that was met; `info.limit` names it. */
export function overLimit(limit: keyof ExprLimits, what: string, max: number): MandateError {
  return new MandateError(
    'LIMIT_EXCEEDED',
    `${what}; the limit \`${limit}\` is ${max}. Make the expression smaller or raise the limit.`,
    { info: { limit, max } },
  )
}
