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
  /** Resolves when the run of the turn stands in the journal, so that a crash loses nothing of it; with false where the turn is over without one. */
  readonly started: Promise<boolean>
  /** Stops the provider and the tools, and starts no further ones. What was written stays. Resolves when the turn is over. */
  cancel(reason?: string): Promise<void>
  /** Takes a message back that still waits for earlier turns. False where its own turn has begun, which goes on then. */
  withdraw(): Promise<boolean>
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
    // An attempt to begin the turn that is under way decides.
    await this.#attempt
    return !this.#isClaimed && !this.#isOver
  }

  /** The message is not to be sent any more. */
  get isTakenBack(): boolean {
    return this.#isWithdrawn || this.#cancelled !== undefined
  }

  /** Makes one attempt to begin the turn, unless the message was taken back; `claim` says whether it has begun. */
  async attempt(claim: () => Promise<boolean>): Promise<void> {
    if (this.isTakenBack) return
    const attempt = claim().then((isClaimed) => {
      this.#isClaimed = isClaimed
    })
    this.#attempt = attempt.catch(() => {})
    await attempt
  }

  /** What comes of work that knows no signal, such as that of listeners; undefined where the stream is cancelled first. */
  unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
    return Promise.race([work, this.#cut.promise])
  }

  /** The run stands in the journal. */
  start(): void {
    this.#started.resolve(true)
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
