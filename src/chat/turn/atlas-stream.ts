import type { PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'

/** How far a stream is: it waits for earlier turns, runs, waits for a person, or is over. */
type StreamStatus = 'queued' | 'running' | 'suspended' | 'completed' | 'cancelled' | 'failed'

/**
 * The answer to a message as it is written. Iterated, it gives the text in pieces, from the first however late one begins to look; it throws at the end where
 * the turn failed. One id spans all calls of the provider.
 */
export interface AtlasStream extends AsyncIterable<string> {
  /** The id of the run, which is the same before and after an approval. */
  readonly streamId: string
  readonly status: StreamStatus
  /** What a suspended turn waits for: approve, reject or answer it, then continue the conversation. */
  readonly pending: readonly PendingCall[]
  /**
   * The whole answer. One that was cancelled is what was written until then, marked with `metadata.cancelled`; one that waits for a person is marked with
   * `metadata.suspended`. It rejects where the turn failed.
   */
  readonly finalMessage: Promise<ChatMessage>
  /** Stops the provider and the tools, and starts no further ones. What was written stays. Resolves when the turn is over. */
  cancel(reason?: string): Promise<void>
}

/** The stream as the turn that feeds it knows it. */
export class LiveStream implements AtlasStream {
  readonly streamId: string
  readonly finalMessage: Promise<ChatMessage>
  readonly #pieces: string[] = []
  readonly #waiting = new Set<() => void>()
  #status: StreamStatus = 'queued'
  #pending: readonly PendingCall[] = []
  #resolve!: (message: ChatMessage) => void
  #reject!: (error: unknown) => void
  #error: unknown
  #isOver = false
  #cancelled: string | undefined
  #onCancel: ((reason: string) => void) | undefined

  constructor(streamId: string) {
    this.streamId = streamId
    this.finalMessage = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Those who only iterate are told by the iteration.
    this.finalMessage.catch(() => {})
  }

  get status(): StreamStatus {
    return this.#status
  }

  get pending(): readonly PendingCall[] {
    return this.#pending
  }

  /** Why it was cancelled; undefined while it was not. */
  get cancelled(): string | undefined {
    return this.#cancelled
  }

  async cancel(reason = 'cancelled'): Promise<void> {
    if (!this.#isOver && this.#cancelled === undefined) {
      this.#cancelled = reason
      this.#onCancel?.(reason)
    }
    await this.finalMessage.catch(() => {})
  }

  /** `onCancel` is called when the stream is cancelled, also where that was before. */
  run(onCancel: (reason: string) => void): void {
    this.#status = 'running'
    this.#onCancel = onCancel
    if (this.#cancelled !== undefined) onCancel(this.#cancelled)
  }

  push(text: string): void {
    this.#pieces.push(text)
    this.#wake()
  }

  end(
    message: ChatMessage,
    status: 'completed' | 'cancelled' | 'suspended',
    pending: readonly PendingCall[] = [],
  ): void {
    this.#status = status
    this.#pending = pending
    this.#isOver = true
    this.#resolve(message)
    this.#wake()
  }

  fail(error: unknown): void {
    this.#status = 'failed'
    this.#error = error
    this.#isOver = true
    this.#reject(error)
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (let next = 0; ;) {
      while (next < this.#pieces.length) yield this.#pieces[next++]!
      if (this.#isOver) break
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    if (this.#status === 'failed') throw this.#error
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
