import { systemClock } from '../../core/index.ts'
import type { MandateEvent, RunEventBus } from '../../journal/index.ts'
import type { TextMessage } from './text-message.ts'

/** Pieces of this time go together. */
const GATHER_MS = 50
/** Characters of a message: each takes at most six bytes, and the server takes messages of less than 8,000. */
const PIECE_MAX = 1_000
const MESSAGE_MAX = 7_900
/** Most messages at a time. What is beyond them is not sent; its listeners wait for the message in the journal. */
const MESSAGES_MAX = 200

interface Wanted {
  until: number
  readonly stop: () => void
  /** Model calls that were heard from their beginning, and how much of each text was said. */
  readonly calls: Map<string, Map<string, number>>
}

/** Sends what the models of wanted runs say in this process. */
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

  /** Somebody wants the texts of this run, until that moment. */
  want(run: string, until: number): void {
    const known = this.#wanted.get(run)
    if (known !== undefined) known.until = until
    else {
      const wanted: Wanted = { until, calls: new Map(), stop: this.#events.onRun(run, (event) => this.#hear(event)) }
      this.#wanted.set(run, wanted)
    }
  }

  /** Whether it listens to this run, for others. */
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
      // The entry has the whole text: the rest of it need not be sent, and must not come after it.
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
    // One that was under way when it was asked for has no beginning here.
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
