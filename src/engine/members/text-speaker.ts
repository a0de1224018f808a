import { systemClock } from '../../core/index.ts'
import type { MandateEvent } from '../../journal/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { TextMessage } from './text-message.ts'

/** Pieces within this time are sent as one batch. */
const GATHER_MS = 50
/** Maximum characters per message: each takes at most six bytes, and Postgres limits payloads to less than 8,000 bytes. */
const PIECE_MAX = 1_000
const MESSAGE_MAX = 7_900
/** Maximum number of messages per flush. Messages beyond it are dropped; followers then get the rest with the message in the journal. */
const MESSAGES_MAX = 200

interface Wanted {
  until: number
  readonly stop: () => void
  /** Texts that were received from their beginning, by key, with the number of characters sent of each kind; `undefined` for calls that have ended. */
  readonly calls: Map<string, Map<string, number> | undefined>
  /** Whether the run was received since it started or was resumed, and with it every text that belongs to no call. */
  isWhole: boolean
}

type Host = Pick<EngineHost, 'events' | 'drives'>

/** Sends the streamed model text of wanted runs that this process drives. */
export class TextSpeaker {
  readonly #host: Host
  readonly #send: (messages: readonly string[]) => Promise<void>
  readonly #wanted = new Map<string, Wanted>()
  #pending: TextMessage[] = []
  #stopTimer: (() => void) | undefined
  #isSending = false
  /** Whether a call has ended since the batch that is being sent: what is pending is sent right after it. */
  #isUrgent = false

  constructor(host: Host, send: (messages: readonly string[]) => Promise<void>) {
    this.#host = host
    this.#send = send
  }

  /** Requests the text of this run until the given time. */
  want(run: string, until: number): void {
    const known = this.#wanted.get(run)
    if (known !== undefined) known.until = until
    else {
      const stop = this.#host.events.onRun(run, (event) => this.#hear(event))
      const wanted: Wanted = { until, stop, calls: new Map(), isWhole: false }
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
    const wanted = this.#wanted.get(runId)
    if (wanted === undefined) return
    if (type === 'text-delta' || type === 'reasoning-delta') return this.#say({ ...event, type }, wanted)
    if (type === 'run-start' || type === 'run-resume') wanted.isWhole = true
    // What is pending is sent before the end, so that followers need not wait for the journal to hear the last words.
    const isEnd = type === 'effect-end' || type === 'run-suspend' || type === 'run-end'
    if (isEnd && this.#pending.some(({ run }) => run === runId)) void this.#flush()
    if (key === undefined) return
    if (type === 'effect-start') wanted.calls.set(key, new Map())
    else if (type === 'effect-end') wanted.calls.set(key, undefined)
    else if (type === 'stream-reset') {
      // The text begins again, so its beginning is known even if that of the first attempt was not.
      wanted.calls.set(key, new Map())
      if (this.#host.drives(runId)) this.#add({ ...aboutOf(event), type, offset: 0, data: event.data })
    }
  }

  #say(event: MandateEvent<'text-delta' | 'reasoning-delta'>, { calls, isWhole }: Wanted): void {
    const { type, key, data } = event
    // What another process has sent is not sent again.
    if (!this.#host.drives(event.runId)) return
    if (key !== undefined && isWhole && !calls.has(key)) calls.set(key, new Map())
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
    if (!this.#isSending) this.#plan()
  }

  /** Sends what is pending, one batch at a time. */
  async #flush(): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (this.#isSending) return void (this.#isUrgent = true)
    this.#isSending = true
    do {
      this.#isUrgent = false
      const messages = this.#pending.splice(0).flatMap(inPieces)
      const texts = messages.map((message) => JSON.stringify(message))
      const sent = texts.filter((text) => Buffer.byteLength(text) < MESSAGE_MAX).slice(0, MESSAGES_MAX)
      if (sent.length > 0) await this.#send(sent)
    } while (this.#isUrgent)
    this.#isSending = false
    if (this.#pending.length > 0) this.#plan()
  }

  #plan(): void {
    this.#stopTimer ??= systemClock.timer(GATHER_MS, () => void this.#flush(), true)
  }
}

function aboutOf({ runId, key, at, sessionId, agentId }: MandateEvent): Omit<TextMessage, 'type' | 'offset' | 'data'> {
  return { run: runId, key, at, session: sessionId, agent: agentId }
}

function inPieces(message: TextMessage): TextMessage[] {
  const { data, offset } = message
  const { text } = data
  if (text === undefined || text.length <= PIECE_MAX) return [message]
  // A text without a key is complete, and listeners get it in one piece.
  const of = message.key === undefined ? { of: text.length } : {}
  return Array.from({ length: Math.ceil(text.length / PIECE_MAX) }, (_, index) => {
    const from = index * PIECE_MAX
    return { ...message, ...of, offset: offset + from, data: { ...data, text: text.slice(from, from + PIECE_MAX) } }
  })
}
