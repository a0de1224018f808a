import type { ErrorInfo, Json, Label, MandateError, Outcome } from '../../core/index.ts'
import type { PendingItem, SuspendReason } from '../../journal/index.ts'

interface Ended {
  readonly run: string
  readonly output: Json
  /** What the output was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
}

/** How one stretch of a run ended. */
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
      /** Why the journal could not be written, for `disk`. */
      readonly error?: ErrorInfo | undefined
    }

/** An effect that waits for something outside the process. */
export interface ParkedEffect {
  readonly key: string
  readonly reason: SuspendReason
  readonly pending: readonly PendingItem[]
  readonly wakeAt?: number | undefined
  /** Someone in this process is about to answer, so the run does not suspend over it. */
  live: boolean
  /** Called with nothing to try again, with `'cancelled'` when the run is being taken down. */
  readonly release: (why?: 'cancelled') => void
}

/** The outcome that a mind gets when its run is cancelled. */
export function cancelledOutcome(run: { readonly abortReason: MandateError | undefined }): Outcome<never> {
  const reason = run.abortReason
  if (reason?.code === 'LIMIT_EXCEEDED')
    return { status: 'failed', error: { code: reason.code, message: reason.message } }
  return { status: 'cancelled', reason: reason?.message ?? 'the run is over' }
}
