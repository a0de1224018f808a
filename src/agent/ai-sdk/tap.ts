type Part = { readonly type: string }
type Streaming = { readonly stream: ReadableStream<Part> }

/** Lets an answer pass to whoever asked, unchanged, while somebody else reads along. */
export class Tap {
  readonly readable: ReadableStream<never>
  readonly #answer = Promise.withResolvers<object>()
  readonly #left = new AbortController()
  #controller: ReadableStreamDefaultController<Part> | undefined
  #failure: unknown
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

  /** The answer, or its beginning; pending for ever when the model is never asked. */
  get answer(): Promise<object> {
    return this.#answer.promise
  }

  /** What the model itself threw: whoever retries wants to see that, and not what we make of it. */
  get failure(): unknown {
    return this.#failure
  }

  async whole(ask: () => PromiseLike<object>): Promise<never> {
    const answer = await this.#ask(ask)
    return answer as never
  }

  async stream(ask: () => PromiseLike<Streaming>): Promise<Streaming> {
    const answer = await this.#ask(ask)
    return { stream: answer.stream.pipeThrough(this.#copier(), { signal: this.#left.signal }) }
  }

  /** The call is settled: what the caller reads ends as the model's answer did. */
  close(error: unknown): void {
    const controller = this.#controller
    this.#controller = undefined
    if (controller === undefined) return
    // An answer that came whole is the caller's, whatever was thought of it here.
    if (error === undefined || this.#hasEnded) controller.close()
    else controller.error(this.#failure ?? error)
  }

  async #ask<T extends object>(ask: () => PromiseLike<T>): Promise<T> {
    try {
      const answer = await ask()
      this.#answer.resolve(answer)
      return answer
    } catch (error) {
      this.#failure = error
      throw error
    }
  }

  #copier(): TransformStream<Part, Part> {
    return new TransformStream({
      transform: (part, passing) => {
        this.#controller?.enqueue(part)
        passing.enqueue(part)
      },
      flush: () => void (this.#hasEnded = true),
    })
  }
}
