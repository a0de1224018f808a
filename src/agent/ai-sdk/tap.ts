type Part = { readonly type: string }
type Streaming = { readonly stream: ReadableStream<Part> }

/** Passes a stream through unchanged while a second consumer reads it (tee). */
export class Tap {
  readonly readable: ReadableStream<never>
  readonly #answer = Promise.withResolvers<object>()
  readonly #left = new AbortController()
  #controller: ReadableStreamDefaultController<Part> | undefined
  #failure: { readonly error: unknown } | undefined
  #hasEnded = false

  constructor() {
    this.#answer.promise.catch(() => {})
    this.readable = new ReadableStream<Part>({
      start: (controller) => void (this.#controller = controller),
      cancel: () => {
        this.#controller = undefined
        this.#left.abort()
      },
    }) as ReadableStream<never>
  }

  /** The complete answer, or the beginning of a stream; pending for ever if the model is never called. */
  get answer(): Promise<object> {
    return this.#answer.promise
  }

  /** The original error of the model, if it threw: the caller's retry logic needs it unwrapped. */
  reason(otherwise: unknown): unknown {
    return this.#failure === undefined ? otherwise : this.#failure.error
  }

  async whole(ask: () => PromiseLike<object>): Promise<never> {
    const answer = await this.#ask(ask)
    return answer as never
  }

  async stream(ask: () => PromiseLike<Streaming>): Promise<Streaming> {
    const answer = await this.#ask(ask)
    return { stream: this.#copied(answer.stream.getReader()) }
  }

  /** Ends the caller's stream like the model's answer, once the call is settled. */
  close(error: unknown): void {
    const controller = this.#controller
    this.#controller = undefined
    if (controller === undefined) return
    // A complete answer belongs to the caller, even if the kernel refused it.
    if (error === undefined || this.#hasEnded) controller.close()
    else controller.error(this.reason(error))
  }

  async #ask<T extends object>(ask: () => PromiseLike<T>): Promise<T> {
    const answer = await this.#watch(ask)
    this.#answer.resolve(answer)
    return answer
  }

  async #watch<T>(ask: () => PromiseLike<T>): Promise<T> {
    try {
      return await ask()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }

  #copied(reader: ReadableStreamDefaultReader<Part>): ReadableStream<Part> {
    this.#left.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true })
    return new ReadableStream<Part>({
      pull: async (controller) => {
        const { done, value } = await this.#watch(() => reader.read())
        if (done) {
          this.#hasEnded = true
          controller.close()
          return
        }
        // An error part is the last part of a stream.
        if (value.type === 'error') this.#hasEnded = true
        this.#controller?.enqueue(value)
        controller.enqueue(value)
      },
      cancel: () => reader.cancel(),
    })
  }
}
