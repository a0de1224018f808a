import { MandateError } from '../../core/index.ts'
import type { RunCursor, Step } from './run-cursor.ts'
import type { EventSource } from './sse.ts'

/** The maximum length of the text that is sent in one piece, except for a single longer event. */
const PIECE_LENGTH = 65_536
/** How long a client waits before it connects again. */
export const RETRY_MS = 1_000

/** The event source of one client of a run. */
export class RunReader implements EventSource {
  readonly #cursor: RunCursor
  #isBegun = false
  #isEnded = false
  #unlisten: (() => void) | undefined

  constructor(cursor: RunCursor) {
    this.#cursor = cursor
  }

  get isOver(): boolean {
    return this.#isEnded
  }

  onChange(changed: () => void): void {
    this.#unlisten = this.#cursor.feed.onChange(changed)
  }

  close(): void {
    this.#unlisten?.()
    this.#cursor.close()
  }

  take(): string | undefined | Promise<string | undefined> {
    let text = this.#isBegun ? '' : `retry: ${RETRY_MS}\n\n`
    this.#isBegun = true
    while (text.length < PIECE_LENGTH) {
      const step = this.#cursor.next()
      if (step instanceof Promise) return this.#takeStored(text, step)
      if (step === undefined) return this.#rest(text)
      text += textOf(step)
    }
    return text
  }

  async #takeStored(before: string, first: Promise<Step | undefined>): Promise<string | undefined> {
    let text = before
    let step = await first
    for (;;) {
      if (step === undefined) return this.#rest(text)
      text += textOf(step)
      if (text.length >= PIECE_LENGTH) return text
      step = await this.#cursor.next()
    }
  }

  #rest(text: string): string | undefined {
    const { feed } = this.#cursor
    if (text !== '') return text
    if (feed.failure !== undefined) throw new MandateError('STORE_FAILED', feed.failure)
    if (!feed.isOver || this.#isEnded) return undefined
    this.#isEnded = true
    return `event: end\ndata: ${JSON.stringify({ runId: feed.run, seq: feed.seq })}\n\n`
  }
}

/** Serializes an event. Only entries have an id, so a client that reconnects names the last entry it has. */
function textOf({ event, item }: Step): string {
  if (item?.encoded !== undefined) return item.encoded
  const text = event.seq === undefined ? eventText(event) : `id: ${event.seq}\n${eventText(event)}`
  if (item !== undefined) item.encoded = text
  return text
}

export function eventText(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
