import type { EventBus, Json, MandateEvent } from '../../core/index.ts'
import type { AgentResult } from '../output/result-types.ts'
import { TextStream } from './text-stream.ts'

interface RunParts {
  readonly events: EventBus
  readonly result: Promise<AgentResult>
  abort(reason?: string): void
}

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
  readonly #parts: RunParts
  /** What happened, in its order. Of text that goes on only the next piece is kept: an answer is a few events, not a few thousand. */
  readonly #kept: (MandateEvent | string)[] = []
  readonly #at: number[] = []
  /** The text that may go on. */
  #text: MandateEvent | undefined
  readonly #waiting = new Set<() => void>()
  readonly #watching: (() => void)[] = []
  #isOver = false

  constructor(runId: string, parts: RunParts) {
    this.runId = runId
    this.#parts = parts
    const stop = parts.events.onRun(runId, (event) => {
      const piece = pieceOf(event)
      const isMore = piece !== undefined && this.#text?.type === event.type && this.#text.key === event.key
      if (!isMore) this.#text = piece === undefined ? undefined : event
      this.#kept.push(isMore ? piece : event)
      this.#at.push(event.at)
      this.#wake()
    })
    this.result = parts.result.finally(() => {
      stop()
      this.#isOver = true
      this.#wake()
    })
    // Whoever iterates may never look at the result; that is not an unhandled failure.
    this.result.catch(() => {})
  }

  abort(reason?: string): void {
    this.#parts.abort(reason)
  }

  /** Every event of the run, from the first, however late one begins to look and however many look at once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<MandateEvent> {
    const read = this.#reader()
    for (;;) {
      for (let event = read(); event !== undefined; event = read()) yield event
      if (this.#isOver) return
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
  }

  /**
   * The text as it is written; put together it is `result.text`. The one exception cannot be avoided without waiting for every answer
   * to end: a model call that breaks off in mid-sentence is tried again, and if it then says something else, the broken sentence stays
   * and the answer begins on a new line. Whoever can take text back listens to `onModelTokens` and `onTextReset` instead.
   */
  get textStream(): AsyncIterable<string> {
    const stream = new TextStream({
      read: this.#reader(),
      isOver: () => this.#isOver,
      onChange: (changed) => void this.#watching.push(changed),
    })
    let isLeft = false
    const over = async (): Promise<IteratorReturnResult<undefined>> => ({ value: undefined, done: true })
    const iterator: AsyncIterableIterator<string> = {
      next: () => (isLeft ? over() : stream.next()),
      return() {
        isLeft = true
        return over()
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  /** Gives one event after the other, from the first, and nothing when there are no more yet. */
  #reader(): () => MandateEvent | undefined {
    let next = 0
    let whole: MandateEvent
    return () => {
      const kept = this.#kept[next]
      if (kept === undefined) return undefined
      const at = this.#at[next++]!
      return typeof kept === 'string' ? { ...whole, at, data: { text: kept } } : (whole = kept)
    }
  }

  #wake(): void {
    for (const changed of this.#watching) changed()
    // Clearing an empty set makes a new table, and a model's words come by the thousand.
    if (this.#waiting.size === 0) return
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}

/** The text of an event that says nothing else. */
function pieceOf({ type, data }: MandateEvent): string | undefined {
  if (!type.endsWith('-delta')) return undefined
  for (const name in data as object) if (name !== 'text') return undefined
  const text = (data as { readonly text?: Json } | null)?.text
  return typeof text === 'string' ? text : undefined
}
