import type { RunEventBus } from '../../journal/index.ts'
import { readMessage } from './text-message.ts'
import type { TextMessage } from './text-message.ts'

/** Tells in this process what models say in runs that other processes drive. A text of which a piece was lost is not gone on with: the message in the journal has it whole. */
export class TextListener {
  readonly #events: RunEventBus
  /** Of each run that is followed here: its texts under way, by call and kind, and how much of them was heard. */
  readonly #heard = new Map<string, Map<string, number>>()

  constructor(events: RunEventBus) {
    this.#events = events
  }

  /** From now on these runs, and no others, are followed here. */
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

/** Whether a piece goes on where the one before it ended. */
function isNext({ type, key, offset, data }: TextMessage, heard: Map<string, number>): boolean {
  if (key === undefined) return true
  const place = `${type} ${key}`
  if (type === 'stream-reset') {
    for (const kind of ['text-delta', 'reasoning-delta']) heard.delete(`${kind} ${key}`)
    return true
  }
  if (offset !== (heard.get(place) ?? 0)) {
    // What follows does not fit either.
    heard.set(place, Number.NaN)
    return false
  }
  heard.set(place, offset + (data.text?.length ?? 0))
  return true
}
