import { isAsyncIterable } from '../core/index.ts'
import type { Json } from '../core/index.ts'

/**
 * Waits for the result of a tool's `run`. Of an async iterable every item is progress and the last one is the result, unless the generator returns a
 * value of its own.
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

export interface CappedResult {
  readonly value: Json
  /** The size of the whole value as JSON in bytes, before truncation. */
  readonly bytes: number
  readonly truncated: boolean
  /** SHA-256 of the whole value as canonical JSON, if it was truncated and has at most 16 MB. */
  readonly sha256?: string | undefined
  /** What was not JSON and had to be changed, one sentence each. */
  readonly issues: readonly string[]
}

/** The smallest limit that still leaves room for a marker. */
export const CAP_MIN = 256
