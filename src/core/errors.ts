/** All error codes. The list is closed: a new kind of failure adds a line here and a row in docs/errors.md. */
export const ERROR_CODES = [
  'CONFIG_INVALID',
  'INPUT_INVALID',
  'ID_INVALID',
  'JSON_INVALID',
  'SCHEMA_INVALID',
  'SCHEMA_FAILED',
  'OUTPUT_INVALID',
  'EXPR_INVALID',
  'EXPR_FAILED',
  'NOT_FOUND',
  'DUPLICATE',
  'EXPIRED',
  'VERSION_UNSUPPORTED',
  'JOURNAL_DAMAGED',
  'JOURNAL_CONFLICT',
  'JOURNAL_ERASED',
  'LEASE_HELD',
  'LEASE_LOST',
  'STORE_FAILED',
  'DISK_FULL',
  'KEY_MISSING',
  'KEY_WRONG',
  'SEAL_BROKEN',
  'REPLAY_DIVERGED',
  'APPROVAL_REQUIRED',
  'APPROVAL_STALE',
  'APPROVAL_REFUSED',
  'DURABILITY_REFUSED',
  'LIMIT_EXCEEDED',
  'PRICE_UNKNOWN',
  'DENIED',
  'INTENT_MISSING',
  'RATE_LIMITED',
  'CONTENT_BLOCKED',
  'KILLED',
  'CANCELLED',
  'TIMEOUT',
  'MODEL_FAILED',
  'MODEL_TIMEOUT',
  'TOOL_UNKNOWN',
  'TOOL_FAILED',
  'TOOL_FATAL',
  'CONNECTOR_FAILED',
  'OUTCOME_UNKNOWN',
  'NO_PROGRESS',
  'STEPS_EXHAUSTED',
  'OUTPUT_TRUNCATED',
  'PHASE_ILLEGAL',
  'RUN_STATE',
  'MIND_FAILED',
  'CLOSED',
  'INTERNAL',
] as const

/** A code of an error or an outcome; docs/errors.md explains each. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/** An error as data: in outcomes, entries and results. */
export interface ErrorInfo {
  /** The error code. */
  readonly code: ErrorCode
  /** What went wrong, and how to fix it. */
  readonly message: string
  /** Details, depending on the code. */
  readonly info?: unknown
}

interface ErrorDetails {
  /** Details for programs; they must be plain data. */
  readonly info?: unknown
  readonly cause?: unknown
}

const marker: unique symbol = Symbol.for('mandate.error') as never

/**
 * The only error class of the package. The message states what is wrong and how to fix it.
 *
 * @example
 * ```ts
 * import { MandateError } from 'mandate'
 * const error: unknown = new MandateError('NOT_FOUND', 'There is no run "x". List the runs with `mandate runs`.')
 * if (MandateError.isInstance(error)) console.log(error.code)
 * ```
 */
export class MandateError extends Error {
  readonly code: ErrorCode
  readonly info: unknown

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'MandateError'
    this.code = code
    this.info = details.info
    Object.defineProperty(this, marker, { value: true })
  }

  /** Checks a marker instead of the class, so that errors of two copies of the package in one process are recognized. */
  static isInstance(error: unknown): error is MandateError {
    return typeof error === 'object' && error !== null && marker in error
  }
}

/** Converts anything thrown to data, keeping the code of a `MandateError`. */
export function errorInfo(error: unknown, code: ErrorCode = 'INTERNAL'): ErrorInfo {
  if (MandateError.isInstance(error)) {
    return error.info === undefined
      ? { code: error.code, message: error.message }
      : { code: error.code, message: error.message, info: error.info }
  }
  return { code, message: messageOf(error) }
}

/** The message of anything thrown, including values that are not errors and errors whose getters throw. */
export function messageOf(error: unknown): string {
  try {
    if (error instanceof Error) return error.message || error.name
    return typeof error === 'string' ? error : String(error)
  } catch {
    return 'an error that cannot be described'
  }
}
