import { type Clock, type MandateError, systemClock } from '../core/index.ts'

/** The conditions that end a wait early. */
interface WaitLimits<T> {
  readonly signal: AbortSignal
  /** Disposes of a result that arrives after that. */
  readonly discard?: ((late: T) => void) | undefined
  /** The time limit and its error. */
  readonly limit?: { readonly ms: number; readonly error: () => MandateError; readonly clock?: Clock } | undefined
}

/**
 * Waits for something that does not observe a signal itself (a DNS lookup, a connection, a place in a pool), no longer than the signal and the limit
 * allow.
 */
export function abortable<T>(asked: Promise<T>, { signal, discard, limit }: WaitLimits<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false
    let stopTimer: (() => void) | undefined
    const end = (): void => {
      stopTimer?.()
      signal.removeEventListener('abort', onAbort)
    }
    const stop = (error: unknown): void => {
      isOver = true
      end()
      reject(error)
    }
    const onAbort = (): void => stop(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    else if (limit !== undefined) stopTimer = (limit.clock ?? systemClock).timer(limit.ms, () => stop(limit.error()))
    asked.then(
      (answer) => (isOver ? discard?.(answer) : (end(), resolve(answer))),
      (error: unknown) => (end(), reject(error)),
    )
  })
}
