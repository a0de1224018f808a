import type { ErrorInfo, Json, Label, MandateError, Outcome } from '../../core/index.ts'
import type { PendingItem, SuspendReason } from '../../journal/index.ts'

interface Ended {
  readonly run: string
  readonly output: Json
  /** The labels of the output, if it has any. */
  readonly labels?: readonly Label[] | undefined
}

/** The outcome of one segment of a run. */
export type RunOutcome =
  | (Ended & { readonly state: 'completed' })
  | (Ended & { readonly state: 'failed'; readonly error: ErrorInfo })
  | (Ended & { readonly state: 'cancelled'; readonly reason: string })
  | {
      readonly state: 'suspended'
      readonly run: string
      readonly reason: SuspendReason
      readonly pending: readonly PendingItem[]
      readonly wakeAt?: number | undefined
      /** Why the journal could not be written, for the reason `disk`. */
      readonly error?: ErrorInfo | undefined
    }

/** An effect that waits for something outside the process. */
export interface ParkedEffect {
  readonly key: string
  readonly reason: SuspendReason
  readonly pending: readonly PendingItem[]
  readonly wakeAt?: number | undefined
  /** A handler in this process is about to answer, so the run does not suspend for it. */
  live: boolean
  /** Lets the effect try again, or ends it with `'cancelled'` when the run is cancelled. */
  readonly release: (why?: 'cancelled') => void
}

/** Returns the outcome delivered to a mind when its run is cancelled. */
export function cancelledOutcome(run: { readonly abortReason: MandateError | undefined }): Outcome<never> {
  const reason = run.abortReason
  if (reason?.code === 'LIMIT_EXCEEDED')
    return { status: 'failed', error: { code: reason.code, message: reason.message } }
  return { status: 'cancelled', reason: reason?.message ?? 'the run is over' }
}
