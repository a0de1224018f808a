import { MandateError } from '../../../core/index.ts'
import type { Clock } from '../../../core/index.ts'

interface Deadline {
  readonly clock: Clock
  /** Zero: none. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The name of the operation in the error. */
  readonly what: string
}

/**
 * Runs something until its timeout or an abort. The work is aborted by its signal; a late result is dropped.
 */
export function withDeadline<T>(deadline: Deadline, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const { clock, timeoutMs, signal, what } = deadline
  return new Promise<T>((resolve, reject) => {
    const own = new AbortController()
    let stopTimer: () => void = () => {}
    const cut = (reason: unknown): void => {
      reject(reason)
      own.abort(reason)
    }
    const onAbort = (): void =>
      cut(signal.reason instanceof Error ? signal.reason : new MandateError('CANCELLED', `${what} was cut.`))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    if (timeoutMs > 0)
      stopTimer = clock.timer(timeoutMs, () =>
        cut(new MandateError('TIMEOUT', `${what} timed out after ${timeoutMs} ms.`)),
      )
    const settle = (): void => {
      stopTimer()
      signal.removeEventListener('abort', onAbort)
    }
    own.signal.addEventListener('abort', settle, { once: true })
    // Inside a promise, so that a synchronous throw is handled like a rejection.
    new Promise<T>((start) => start(work(own.signal))).then(
      (value) => {
        settle()
        resolve(value)
      },
      (error: unknown) => {
        settle()
        reject(error)
      },
    )
  })
}
