import { MandateError } from '../../core/index.ts'
import { modelFailure } from '../failure.ts'

/** The error of a call whose signal aborted: a timeout or a cancellation. */
export function cutBy(signal: AbortSignal): MandateError {
  const reason: unknown = signal.reason
  const name = typeof reason === 'object' && reason !== null ? (reason as { name?: unknown }).name : undefined
  return name === 'TimeoutError'
    ? modelFailure(reason)
    : new MandateError('CANCELLED', 'The model call was cut.', { cause: reason })
}

/** Waits for a promise, but no longer than the signal; a later result is passed to `late`. */
export function untilCut<T>(promise: PromiseLike<T>, signal: AbortSignal, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cutBy(signal))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', onAbort)
        if (signal.aborted) late?.(value)
        resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    )
  })
}

/** Reads a stream to its end. It is abandoned when the signal aborts or the reader stops, even if the source ignores both. */
export async function* readStream<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T> {
  const reader = stream.getReader()
  // Cancelling closes the stream at once, so that a pending read ends. It is not awaited, because a source may take long.
  const giveUp = (): void => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    if (signal.aborted) throw cutBy(signal)
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield next.value
      if (signal.aborted) break
    }
    if (signal.aborted) throw cutBy(signal)
  } finally {
    signal.removeEventListener('abort', giveUp)
    giveUp()
  }
}
