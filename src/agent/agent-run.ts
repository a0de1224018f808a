import type { EventBus, MandateEvent } from '../core/index.ts'
import type { AgentResult } from './result-types.ts'
import { turnSeparator } from './run-options.ts'

/**
 * A run that has been started: a promise of its result, and everything that happens on the way.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { scripted } from 'mandate/model'
 * const run = new Agent({ model: scripted(['Hello.']) }).start('Say hello.')
 * for await (const text of run.textStream) process.stdout.write(text)
 * console.log((await run.result).status)
 * ```
 */
export class AgentRun implements AsyncIterable<MandateEvent> {
  readonly runId: string
  readonly result: Promise<AgentResult>
  readonly #abort: (reason?: string) => void
  readonly #events: MandateEvent[] = []
  #wake: PromiseWithResolvers<void> = Promise.withResolvers()
  #isOver = false

  constructor(runId: string, parts: { events: EventBus; result: Promise<AgentResult>; abort: (reason?: string) => void }) {
    this.runId = runId
    this.#abort = parts.abort
    const stop = parts.events.on('*', (event) => {
      if (event.runId !== runId) return
      this.#events.push(event)
      this.#wake.resolve()
    })
    this.result = parts.result.finally(() => {
      stop()
      this.#isOver = true
      this.#wake.resolve()
    })
    // Whoever iterates may never look at the result; that is not an unhandled failure.
    this.result.catch(() => {})
  }

  abort(reason?: string): void {
    this.#abort(reason)
  }

  /** Every event of the run, from the first, however late one begins to look. */
  async *[Symbol.asyncIterator](): AsyncGenerator<MandateEvent> {
    for (let next = 0; ; ) {
      while (next < this.#events.length) yield this.#events[next++]!
      if (this.#isOver) return
      await this.#wake.promise
      this.#wake = Promise.withResolvers()
    }
  }

  /** The text as it is written; put together it is `result.text`. A retried model call begins its turn again: those deltas are held back until the call has ended. */
  get textStream(): AsyncIterable<string> {
    return textOfEvents(this)
  }
}

async function* textOfEvents(events: AsyncIterable<MandateEvent>): AsyncGenerator<string> {
  const separate = turnSeparator()
  for await (const event of events) if (event.type === 'text-delta') yield separate(event)
}
