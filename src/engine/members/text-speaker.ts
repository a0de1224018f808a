import { systemClock } from '../../core/index.ts'
import type { MandateEvent, RunEventBus } from '../../journal/index.ts'
import type { TextMessage } from './text-message.ts'

/** Pieces within this time are sent as one batch. */
const GATHER_MS = 50
/** Maximum characters per message: each takes at most six bytes, and Postgres limits payloads to less than 8,000 bytes. */
const PIECE_MAX = 1_000
const MESSAGE_MAX = 7_900
/** Maximum number of messages per flush. Messages beyond it are dropped; listeners then get the text from the message in the journal. */
const MESSAGES_MAX = 200

interface Wanted {
  until: number
  readonly stop: () => void
  /** Model calls that were received from their beginning, with the number of characters sent of each text. */
  readonly calls: Map<string, Map<string, number>>
}

/** Sends the streamed model text of wanted runs that this process drives. */
export class TextSpeaker {
  readonly #events: RunEventBus
  readonly #send: (messages: readonly string[]) => Promise<void>
  readonly #wanted = new Map<string, Wanted>()
  #pending: TextMessage[] = []
  #stopTimer: (() => void) | undefined
  #isSending = false

  constructor(events: RunEventBus, send: (messages: readonly string[]) => Promise<void>) {
    this.#events = events
    this.#send = send
  }

  /** Requests the text of this run until the given time. */
  want(run: string, until: number): void {
    const known = this.#wanted.get(run)
    if (known !== undefined) known.until = until
    else {
      const wanted: Wanted = { until, calls: new Map(), stop: this.#events.onRun(run, (event) => this.#hear(event)) }
      this.#wanted.set(run, wanted)
    }
  }

  /** Whether the speaker listens to this run on behalf of other processes. */
  speaksFor(run: string): boolean {
    return this.#wanted.has(run)
  }

  expire(now: number): void {
    for (const [run, { until, stop }] of this.#wanted) {
      if (until >= now) continue
      stop()
      this.#wanted.delete(run)
    }
  }

  stop(): void {
    this.expire(Number.POSITIVE_INFINITY)
    this.#stopTimer?.()
    this.#pending = []
  }

  #hear(event: MandateEvent): void {
    const { type, runId, key } = event
    const calls = this.#wanted.get(runId)?.calls
    if (calls === undefined) return
    if (type === 'effect-start' && key !== undefined) calls.set(key, new Map())
    else if (type === 'effect-end' && key !== undefined) {
      // The journal entry has the complete text: the rest need not be sent and must not arrive after the entry.
      calls.delete(key)
      this.#pending = this.#pending.filter((one) => one.run !== runId || one.key !== key)
    } else if (type === 'stream-reset' && key !== undefined && calls.has(key)) {
      calls.set(key, new Map())
      this.#add({ ...aboutOf(event), type, offset: 0, data: event.data as TextMessage['data'] })
    } else if (type === 'text-delta' || type === 'reasoning-delta') this.#say({ ...event, type }, calls)
  }

  #say(event: MandateEvent<'text-delta' | 'reasoning-delta'>, calls: Wanted['calls']): void {
    const { type, key, data } = event
    const said = key === undefined ? new Map<string, number>() : calls.get(key)
    // A call that was in progress when the text was requested is skipped, because its beginning is missing.
    if (said === undefined || typeof data?.text !== 'string') return
    const offset = said.get(type) ?? 0
    said.set(type, offset + data.text.length)
    const last = this.#pending.findLast((one) => one.run === event.runId && one.key === key)
    if (key !== undefined && last?.type === type && last.offset + last.data.text!.length === offset) {
      const text = last.data.text! + data.text
      this.#pending = this.#pending.map((one) => (one === last ? { ...last, data: { ...data, text } } : one))
    } else this.#add({ ...aboutOf(event), type, offset, data })
  }

  #add(message: TextMessage): void {
    this.#pending.push(message)
    if (this.#stopTimer !== undefined || this.#isSending) return
    this.#stopTimer = systemClock.timer(GATHER_MS, () => void this.#flush(), true)
  }

  async #flush(): Promise<void> {
    this.#stopTimer = undefined
    const messages = this.#pending.splice(0).flatMap(inPieces)
    const texts = messages.map((message) => JSON.stringify(message))
    this.#isSending = true
    await this.#send(texts.filter((text) => Buffer.byteLength(text) < MESSAGE_MAX).slice(0, MESSAGES_MAX))
    this.#isSending = false
    if (this.#pending.length > 0 && this.#stopTimer === undefined)
      this.#stopTimer = systemClock.timer(GATHER_MS, () => void this.#flush(), true)
  }
}

function aboutOf({ runId, key, at, sessionId, agentId }: MandateEvent): Omit<TextMessage, 'type' | 'offset' | 'data'> {
  return { run: runId, key, at, session: sessionId, agent: agentId }
}

function inPieces(message: TextMessage): TextMessage[] {
  const { data, offset } = message
  const { text } = data
  if (text === undefined || text.length <= PIECE_MAX) return [message]
  return Array.from({ length: Math.ceil(text.length / PIECE_MAX) }, (_, index) => {
    const from = index * PIECE_MAX
    return { ...message, offset: offset + from, data: { ...data, text: text.slice(from, from + PIECE_MAX) } }
  })
}
