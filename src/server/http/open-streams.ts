import { onAbort } from '../../core/index.ts'
import { Refusal } from './error-answers.ts'

const encoder = new TextEncoder()
const RETRY_MS = 2_000
const LAST_WORD = encoder.encode(`retry: ${RETRY_MS}\n\n`)

/** Counts the open event streams and limits them per identity. */
export class OpenStreams {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /** Reserves a stream for this identity, or refuses when the limit is reached. The returned function releases it. */
  enter(identity: string): () => void {
    const open = this.#open.get(identity) ?? 0
    if (open >= this.#most)
      throw new Refusal(429, 'RATE_LIMITED', `${this.#most} event streams are open in this name. Close one first.`, {
        'retry-after': '5',
      })
    this.#open.set(identity, open + 1)
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      const left = this.#open.get(identity)! - 1
      if (left === 0) this.#open.delete(identity)
      else this.#open.set(identity, left)
    }
  }
}

interface StreamEnds {
  /** Aborted when the server closes: the stream ends with a `retry` hint. */
  readonly closing: AbortSignal
  /** Aborted when the client has disconnected or its token was revoked: the stream ends without a hint. */
  readonly cut: AbortSignal
  readonly left: () => void
}

/** Returns the same response with a body that ends when the server closes. Chunks must be whole events. */
export function endingWith(response: Response, { closing, cut, left }: StreamEnds): Response {
  const { body } = response
  if (body === null) {
    left()
    return response
  }
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  let stop = (_last?: Uint8Array): void => {}
  const unlisten = [onAbort(closing, () => stop(LAST_WORD)), onAbort(cut, () => stop())]
  let isOver = false
  const leave = (): void => {
    isOver = true
    stop = () => {}
    for (const off of unlisten) off()
    left()
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = (last) => {
          leave()
          void reader.cancel().catch(() => {})
          if (last !== undefined) controller.enqueue(last)
          controller.close()
        }
        if (closing.aborted) stop(LAST_WORD)
        else if (cut.aborted) stop()
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (isOver) return
          if (done) leave()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          leave()
          controller.error(error)
        }
      },
      cancel(reason) {
        leave()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(stream, response)
}
