import type { RunEventBus } from '../../journal/index.ts'
import { readMessage } from './text-message.ts'
import type { TextMessage } from './text-message.ts'

/**
 * Emits in this process the text that models stream in runs driven by other processes. After a lost piece the rest of that text is dropped: the message in the
 * journal is complete.
 */
export class TextListener {
  readonly #events: RunEventBus
  /** For each run that is followed here: the number of characters received of each text in progress, by call and kind. */
  readonly #heard = new Map<string, Map<string, number>>()

  constructor(events: RunEventBus) {
    this.#events = events
  }

  /** Replaces the set of runs that are followed here. */
  listenTo(runs: ReadonlySet<string>): void {
    for (const run of runs) if (!this.#heard.has(run)) this.#heard.set(run, new Map())
    for (const run of this.#heard.keys()) if (!runs.has(run)) this.#heard.delete(run)
  }

  hear(text: string): void {
    const message = readMessage(text)
    const heard = message && this.#heard.get(message.run)
    if (message === undefined || heard === undefined || !isNext(message, heard)) return
    const { type, run: runId, key, at, session: sessionId, agent: agentId, data } = message
    this.#events.emit({ v: 1, type, at, runId, sessionId, agentId, key, data: data as never })
  }
}

/** Whether a piece continues where the previous one ended. */
function isNext({ type, key, offset, data }: TextMessage, heard: Map<string, number>): boolean {
  if (key === undefined) return true
  const place = `${type} ${key}`
  if (type === 'stream-reset') {
    for (const kind of ['text-delta', 'reasoning-delta']) heard.delete(`${kind} ${key}`)
    return true
  }
  if (offset !== (heard.get(place) ?? 0)) {
    // NaN matches no offset, so all later pieces of this text are dropped too.
    heard.set(place, Number.NaN)
    return false
  }
  heard.set(place, offset + (data.text?.length ?? 0))
  return true
}
