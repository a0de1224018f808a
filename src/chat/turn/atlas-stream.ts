import type { PendingCall } from '../../agent/index.ts'
import type { ChatMessage } from '../message/chat-message.ts'

/** The state of a stream: it waits for earlier turns, runs, waits for a person, or has ended. */
type StreamStatus = 'queued' | 'running' | 'suspended' | 'completed' | 'cancelled' | 'failed'

/**
 * The answer to a message as a stream. Iteration yields the text in pieces, from the first one even when it starts late, and throws at the end if the turn
 * failed. One id spans all calls of the provider.
 */
export interface AtlasStream extends AsyncIterable<string> {
  /** Id of the run, which is the same before and after an approval. */
  readonly streamId: string
  readonly status: StreamStatus
  /** The calls that a suspended turn waits for: approve, reject or answer them, then continue the conversation. */
  readonly pending: readonly PendingCall[]
  /**
   * The whole answer. A cancelled answer has the text that was written until then, and `metadata.cancelled`; one that waits for a person has
   * `metadata.suspended`. Rejects if the turn failed.
   */
  readonly finalMessage: Promise<ChatMessage>
  /** Resolves to true when the run of the turn is in the journal, so that a crash loses nothing of it; to false if the turn ended without a run. */
  readonly started: Promise<boolean>
  /** Stops the provider and the tools, and starts no further ones. Text that was written stays. Resolves when the turn has ended. */
  cancel(reason?: string): Promise<void>
  /** Withdraws a message that still waits for earlier turns. Returns false if its own turn has begun; that turn then continues. */
  withdraw(): Promise<boolean>
}

/** The writable side of the stream, for the turn that fills it. */
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
  readonly #started = Promise.withResolvers<boolean>()
  #isWithdrawn = false
  #isClaimed = false
  #attempt: Promise<unknown> | undefined
  readonly #cut = Promise.withResolvers<undefined>()

  constructor(streamId: string) {
    this.streamId = streamId
    this.finalMessage = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    // Callers that only iterate get the error from the iteration: this avoids an unhandled rejection.
    this.finalMessage.catch(() => {})
  }

  get status(): StreamStatus {
    return this.#status
  }

  get pending(): readonly PendingCall[] {
    return this.#pending
  }

  /** The reason of the cancellation; undefined if there was none. */
  get cancelled(): string | undefined {
    return this.#cancelled
  }

  async cancel(reason = 'cancelled'): Promise<void> {
    if (!this.#isOver && this.#cancelled === undefined) {
      this.#cancelled = reason
      this.#cut.resolve(undefined)
      this.#onCancel?.(reason)
    }
    await this.finalMessage.catch(() => {})
  }

  get started(): Promise<boolean> {
    return this.#started.promise
  }

  async withdraw(): Promise<boolean> {
    this.#isWithdrawn = true
    // If an attempt to begin the turn is in progress, its result decides.
    await this.#attempt
    return !this.#isClaimed && !this.#isOver
  }

  /** Whether the message was withdrawn or cancelled, so that it must not be sent. */
  get isTakenBack(): boolean {
    return this.#isWithdrawn || this.#cancelled !== undefined
  }

  /** Makes one attempt to begin the turn, unless the message was taken back; `claim` resolves to whether the turn has begun. */
  async attempt(claim: () => Promise<boolean>): Promise<void> {
    if (this.isTakenBack) return
    const attempt = claim().then((isClaimed) => {
      this.#isClaimed = isClaimed
    })
    this.#attempt = attempt.catch(() => {})
    await attempt
  }

  /** Resolves to the result of work without an abort signal, such as that of listeners; to undefined if the stream is cancelled first. */
  unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
    return Promise.race([work, this.#cut.promise])
  }

  /** Marks the run as written to the journal. */
  start(): void {
    this.#started.resolve(true)
  }

  /** Marks the stream as running. `onCancel` is called when the stream is cancelled, or at once if it already is. */
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
    this.#started.resolve(false)
    this.#resolve(message)
    this.#wake()
  }

  fail(error: unknown): void {
    this.#status = 'failed'
    this.#error = error
    this.#isOver = true
    this.#started.resolve(false)
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
