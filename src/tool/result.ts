import type { Json } from '../core/index.ts'

/**
 * Waits for whatever a tool's `run` returned. Of an async iterable every item is progress and the last one is the result, unless the
 * generator returns a value of its own.
 */
export async function settleResult(
  returned: unknown,
  onProgress: (value: unknown) => void = () => {},
): Promise<unknown> {
  const value = await returned
  if (!isAsyncIterable(value)) return value
  const iterator = value[Symbol.asyncIterator]()
  let last: unknown
  for (;;) {
    const item = await iterator.next()
    if (item.done === true) return item.value === undefined ? last : item.value
    last = item.value
    try {
      onProgress(last)
    } catch {
      // An exception of a progress listener must not fail the tool.
    }
  }
}

/** Whether a result comes piece by piece. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  )
}

export interface CappedResult {
  readonly value: Json
  /** Bytes of the whole value as JSON, before anything was cut. */
  readonly bytes: number
  readonly truncated: boolean
  /** SHA-256 of the whole value as canonical JSON, where it was cut and has at most 16 MB. */
  readonly sha256?: string | undefined
  /** What was not JSON and had to be changed, one sentence each. */
  readonly issues: readonly string[]
}

/** The smallest cap that still leaves room for a marker. */
export const CAP_MIN = 256
