import { MandateError } from '../../core/index.ts'
import { modelFailure } from '../failure.ts'

/** The error of a call whose signal fired: a timeout when that is why, else a cut. */
export function cutBy(signal: AbortSignal): MandateError {
  const reason: unknown = signal.reason
  const name = typeof reason === 'object' && reason !== null ? (reason as { name?: unknown }).name : undefined
  return name === 'TimeoutError'
    ? modelFailure(reason)
    : new MandateError('CANCELLED', 'The model call was cut.', { cause: reason })
}

/** Waits for a promise, but not past the signal; what comes after it is handed to `late`. */
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

/** Reads a stream to its end. It is given up when the signal fires or the reader goes away, also by a source that listens to neither. */
export async function* readStream<T>(stream: ReadableStream<T>, signal: AbortSignal): AsyncGenerator<T> {
  const reader = stream.getReader()
  // Cancelling closes the stream at once, so that a pending read ends, and it is not awaited: a source may take its time over it.
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
