import type { AgentResult } from '../agent/index.ts'
import { MandateError } from '../core/index.ts'

/** Exit codes of the command. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  suspended: 4,
  limit: 5,
  store: 6,
  diverged: 7,
} as const

/** The signals that ask a process to stop, with their numbers. */
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

export type StopSignal = keyof typeof SIGNAL_NUMBERS

/** Returns the exit code for a command that a signal ended: 128 plus the number of the signal, as shells define it. */
export function exitCodeOfSignal(signal: StopSignal): number {
  return 128 + SIGNAL_NUMBERS[signal]
}

const BY_ERROR: { readonly [code: string]: number } = {
  CONFIG_INVALID: EXIT.store,
  STORE_FAILED: EXIT.store,
  DISK_FULL: EXIT.store,
  KEY_MISSING: EXIT.store,
  KEY_WRONG: EXIT.store,
  SEAL_BROKEN: EXIT.store,
  JOURNAL_DAMAGED: EXIT.store,
  JOURNAL_CONFLICT: EXIT.store,
  JOURNAL_ERASED: EXIT.store,
  LEASE_HELD: EXIT.store,
  LEASE_LOST: EXIT.store,
  DURABILITY_REFUSED: EXIT.store,
  VERSION_UNSUPPORTED: EXIT.store,
  INPUT_INVALID: EXIT.usage,
  DENIED: EXIT.denied,
  INTENT_MISSING: EXIT.denied,
  CONTENT_BLOCKED: EXIT.denied,
  APPROVAL_REFUSED: EXIT.denied,
  APPROVAL_STALE: EXIT.denied,
  KILLED: EXIT.denied,
  LIMIT_EXCEEDED: EXIT.limit,
  RATE_LIMITED: EXIT.limit,
  PRICE_UNKNOWN: EXIT.limit,
  STEPS_EXHAUSTED: EXIT.limit,
  OUTPUT_TRUNCATED: EXIT.limit,
  REPLAY_DIVERGED: EXIT.diverged,
}

/** Usage errors when a command fails. The same codes in a run that was started are failures of the run. */
const USAGE: readonly string[] = ['NOT_FOUND', 'ID_INVALID', 'SCHEMA_INVALID', 'RUN_STATE']

/** Errors in a file passed to a command. */
const FILES: readonly string[] = ['JSON_INVALID', 'EXPR_INVALID']

/** Returns the exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (!MandateError.isInstance(error)) return EXIT.failed
  // A question of the command was answered with Ctrl-C or Ctrl-D. A cancelled run ends with its result instead.
  if (error.code === 'CANCELLED') return exitCodeOfSignal('SIGINT')
  if (FILES.includes(error.code)) return EXIT.store
  return USAGE.includes(error.code) ? EXIT.usage : exitCodeOfCode(error.code)
}

/** Returns the exit code of a failed run for the code of its error. */
export function exitCodeOfCode(code: string): number {
  return BY_ERROR[code] ?? EXIT.failed
}

/** Returns the exit code of a result, from the same table as the statuses. */
export function exitCodeOfResult({ status, error }: AgentResult): number {
  switch (status) {
    case 'completed':
      return EXIT.ok
    case 'await_user':
      return EXIT.suspended
    case 'max_turns':
    case 'max_tokens':
      return EXIT.limit
    case 'cancelled':
    case 'failed':
      return exitCodeOfCode(error?.code ?? '')
  }
}
