import type { ErrorCode, ErrorInfo } from './errors.ts'
import type { Json } from './json.ts'
import type { Label } from './labels.ts'

/** The outcome of an effect. Always data: denials and failures are never thrown at a mind. */
export type Outcome<T = unknown> = Ok<T> | Denied | Failed | Cancelled | Unknown

export interface Ok<T = unknown> {
  /** It was performed. */
  readonly status: 'ok'
  /** The result. */
  readonly value: T
  /** What a model reads instead of `value`, if the tool has set it. */
  readonly shown?: Json | undefined
  /** The labels of the value, if it has any. */
  readonly labels?: readonly Label[] | undefined
}
interface Denied {
  /** It was not performed. */
  readonly status: 'denied'
  /** The code of the guard that denied it. */
  readonly code: ErrorCode
  /** Why it was denied, and what would be allowed. */
  readonly reason: string
  /** The guard or rule that denied it. */
  readonly rule: string
}
export interface Failed {
  /** It was performed and failed, or could not be performed. */
  readonly status: 'failed'
  /** The error. */
  readonly error: ErrorInfo
  /** The failure ends the run instead of being returned to the mind. */
  readonly fatal?: boolean | undefined
  /** The labels of the failure: its message may be text of the remote party. */
  readonly labels?: readonly Label[] | undefined
}
interface Cancelled {
  /** It was aborted before it finished. */
  readonly status: 'cancelled'
  /** Why it was cancelled. */
  readonly reason: string
}
/** It may or may not have happened, and this could not be determined. */
interface Unknown {
  /** Whether it happened is unknown: the process ended while it was in flight. */
  readonly status: 'unknown'
  /** Why that is unknown. */
  readonly reason: string
}

/** Wraps a value as a successful outcome. */
export function ok<T>(value: T): Ok<T> {
  return { status: 'ok', value }
}

/** Wraps a failure as an outcome. */
export function failed(code: ErrorCode, message: string, info?: unknown): Failed {
  return { status: 'failed', error: info === undefined ? { code, message } : { code, message, info } }
}

/** One sentence for logs and models: why there is no value. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.status) {
    case 'ok':
      return 'ok'
    case 'denied':
      return `denied by ${outcome.rule}: ${outcome.reason}`
    case 'failed':
      return `failed (${outcome.error.code}): ${outcome.error.message}`
    case 'cancelled':
      return `cancelled: ${outcome.reason}`
    case 'unknown':
      return `outcome unknown: ${outcome.reason}`
  }
}

/** The error code of an outcome that is not `ok`. */
export function codeOf(outcome: Exclude<Outcome, { status: 'ok' }>): ErrorCode {
  switch (outcome.status) {
    case 'failed':
      return outcome.error.code
    case 'denied':
      return outcome.code
    case 'cancelled':
      return 'CANCELLED'
    case 'unknown':
      return 'OUTCOME_UNKNOWN'
  }
}
