import { type Clock, type MandateError, systemClock } from '../core/index.ts'

/** What ends a wait before what is waited for does. */
interface Cut<T> {
  readonly signal: AbortSignal
  /** Puts away what still comes after the cut. */
  readonly discard?: ((late: T) => void) | undefined
  /** What it fails with when it takes longer than this. */
  readonly limit?: { readonly ms: number; readonly error: () => MandateError; readonly clock?: Clock } | undefined
}

/**
 * Waits for something that does not listen to a signal by itself (a name that is resolved, a connection, a place in a pool), no longer than the signal
 * and the limit allow.
 */
export function unlessCut<T>(asked: Promise<T>, { signal, discard, limit }: Cut<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let isCut = false
    let stopTimer: (() => void) | undefined
    const end = (): void => {
      stopTimer?.()
      signal.removeEventListener('abort', onAbort)
    }
    const cut = (error: unknown): void => {
      isCut = true
      end()
      reject(error)
    }
    const onAbort = (): void => cut(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    else if (limit !== undefined) stopTimer = (limit.clock ?? systemClock).timer(limit.ms, () => cut(limit.error()))
    asked.then(
      (answer) => (isCut ? discard?.(answer) : (end(), resolve(answer))),
      (error: unknown) => (end(), reject(error)),
    )
  })
}
