import type { ErrorCode, ErrorInfo } from './errors.ts'
import type { Json } from './json.ts'
import type { Label } from './labels.ts'

/** What an effect gave. It is data in every case: a denial or a failure is never thrown at a mind. */
export type Outcome<T = unknown> = Ok<T> | Denied | Failed | Cancelled | Unknown

export interface Ok<T = unknown> {
  readonly status: 'ok'
  readonly value: T
  /** What a model reads instead of `value`, where the tool says so. */
  readonly shown?: Json | undefined
  readonly labels?: readonly Label[] | undefined
}
interface Denied {
  readonly status: 'denied'
  readonly code: ErrorCode
  readonly reason: string
  /** The guard or rule that said no. */
  readonly rule: string
}
export interface Failed {
  readonly status: 'failed'
  readonly error: ErrorInfo
  /** The failure ends the run instead of going back to the mind as a result. */
  readonly fatal?: boolean | undefined
  /** The message of a failed call may be text of the remote party. */
  readonly labels?: readonly Label[] | undefined
}
interface Cancelled {
  readonly status: 'cancelled'
  readonly reason: string
}
/** It may or may not have happened, and this could not be determined. */
interface Unknown {
  readonly status: 'unknown'
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

/** One sentence for logs and for models: why there is no value. */
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

/** The code of what is not ok. */
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
