import type { RunEventBus } from '../../journal/index.ts'
import { readMessage } from './text-message.ts'
import type { TextMessage } from './text-message.ts'

/**
 * Emits in this process the text that models stream in runs driven by other processes. After a lost piece the rest of that text is dropped: who follows the
 * run gets it with the message in the journal.
 */
export class TextListener {
  readonly #events: RunEventBus
  /** For each run that is followed here: the number of characters received of each text in progress, by call and kind. */
  readonly #heard = new Map<string, Map<string, number>>()
  /** The beginning of a complete text that comes in several pieces, by run. */
  readonly #begun = new Map<string, string>()
  /** Runs that have ended. */
  readonly #over = new Set<string>()
  readonly #stops: readonly (() => void)[]

  constructor(events: RunEventBus) {
    this.#events = events
    // A piece that comes after the end of its call, or of its run, is too late: followers had the rest of the text before that end. Noted also for runs that
    // are not followed yet, because an end may be announced before the round that notices its followers.
    this.#stops = [
      events.on('effect-end', ({ runId, key }) => {
        const heard = this.#heard.get(runId) ?? new Map<string, number>()
        this.#heard.set(runId, heard)
        for (const kind of KINDS) heard.set(`${kind} ${key}`, CLOSED)
      }),
      events.on('run-end', ({ runId }) => void this.#over.add(runId)),
    ]
  }

  /** Replaces the set of runs that are followed here. */
  listenTo(runs: ReadonlySet<string>): void {
    for (const run of runs) if (!this.#heard.has(run)) this.#heard.set(run, new Map())
    for (const run of [...this.#heard.keys(), ...this.#over]) if (!runs.has(run)) this.#forget(run)
  }

  #forget(run: string): void {
    this.#heard.delete(run)
    this.#begun.delete(run)
    this.#over.delete(run)
  }

  hear(text: string): void {
    const message = readMessage(text)
    const heard = message && this.#heard.get(message.run)
    if (message === undefined || heard === undefined || this.#over.has(message.run)) return
    if (message.of !== undefined) return this.#gather(message, message.of)
    const place = placeOf(message, heard)
    if (place === 'dropped') return
    if (place === 'again') this.#emit({ ...message, type: 'stream-reset', data: BEGUN_AGAIN })
    this.#emit(message)
  }

  stop(): void {
    for (const stop of this.#stops) stop()
  }

  #gather(message: TextMessage, length: number): void {
    const { run, offset, data } = message
    const begun = offset === 0 ? '' : this.#begun.get(run)
    this.#begun.delete(run)
    if (begun?.length !== offset) return
    const text = begun + (data.text ?? '')
    if (text.length < length) this.#begun.set(run, text)
    else this.#emit({ ...message, data: { ...data, text } })
  }

  #emit({ type, run: runId, key, at, session: sessionId, agent: agentId, data }: TextMessage): void {
    this.#events.emit({ v: 1, type, at, runId, sessionId, agentId, key, data: data as never })
  }
}

const KINDS = ['text-delta', 'reasoning-delta'] as const
/** Stands in place of the number of characters where pieces are missing: it matches no offset. */
const BROKEN = Number.NaN
/** The same where the call has ended. */
const CLOSED = Number.NEGATIVE_INFINITY
const BEGUN_AGAIN = { attempt: 1, reason: 'Another process has taken over the run.' }

/** Whether a piece continues where the previous one ended, begins its text again, or cannot be placed. */
function placeOf({ type, key, offset, data }: TextMessage, heard: Map<string, number>): 'next' | 'again' | 'dropped' {
  if (key === undefined) return 'next'
  const place = `${type} ${key}`
  const known = heard.get(`text-delta ${key}`) === CLOSED ? CLOSED : (heard.get(place) ?? 0)
  if (known === CLOSED) return 'dropped'
  const isAgain = type === 'stream-reset' || (offset === 0 && known !== 0)
  if (isAgain) for (const kind of KINDS) heard.delete(`${kind} ${key}`)
  if (type === 'stream-reset') return 'next'
  if (!isAgain && offset !== known) {
    heard.set(place, BROKEN)
    return 'dropped'
  }
  heard.set(place, offset + (data.text?.length ?? 0))
  return isAgain ? 'again' : 'next'
}
