import { monotonicNow } from '../../core/index.ts'
import type { Clock } from '../../core/index.ts'

/** The source of an event stream. It is asked for more only when the client has taken the previous text, so a slow client takes no memory (backpressure). */
export interface EventSource {
  /** The next text to send, made of whole events; `undefined` when there is none yet. */
  take(): string | undefined | Promise<string | undefined>
  /** Whether nothing more follows. */
  readonly isOver: boolean
  /** Calls back when there may be more. */
  onChange(changed: () => void): void
  close(): void
}

/** The timeouts of a stream. */
interface StreamTimes {
  /** The interval of heartbeats: a comment is sent after so much silence, so that proxies keep the connection open and dead connections are detected. */
  readonly heartbeatMs: number
  /** A client that has read nothing for so long while there was more is disconnected. It can resume. */
  readonly stallMs: number
}

export const STREAM_TIMES: StreamTimes = { heartbeatMs: 15_000, stallMs: 60_000 }

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Prevents proxies from buffering the events.
  'x-accel-buffering': 'no',
}

const HEARTBEAT = ': \n\n'
const encoder = new TextEncoder()

/** Event streams that share one clock, and one timer for all heartbeats. */
export class EventStreams {
  readonly #clock: Clock
  readonly #times: StreamTimes
  readonly #open = new Set<OpenStream>()
  #stopTimer: (() => void) | undefined

  constructor(clock: Clock, times: StreamTimes = STREAM_TIMES) {
    this.#clock = clock
    this.#times = times
  }

  get size(): number {
    return this.#open.size
  }

  /** Returns the source as the body of a response. */
  body(source: EventSource): ReadableStream<Uint8Array> {
    const stream = new OpenStream(
      source,
      () => monotonicNow(this.#clock),
      () => void this.#open.delete(stream),
    )
    this.#open.add(stream)
    this.#arm()
    // Buffers one chunk: the next is made when the client has taken it.
    return new ReadableStream<Uint8Array>(stream, { highWaterMark: 1 })
  }

  response(source: EventSource, headers: Readonly<Record<string, string>> = {}): Response {
    return new Response(this.body(source), { headers: { ...SSE_HEADERS, ...headers } })
  }

  close(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    for (const stream of this.#open) stream.end()
    this.#open.clear()
  }

  #arm(): void {
    if (this.#stopTimer !== undefined || this.#open.size === 0) return
    const { heartbeatMs, stallMs } = this.#times
    this.#stopTimer = this.#clock.timer(
      Math.min(heartbeatMs, stallMs),
      () => {
        this.#stopTimer = undefined
        for (const stream of this.#open) stream.beat(this.#times)
        this.#arm()
      },
      true,
    )
  }
}

class OpenStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly #source: EventSource
  readonly #now: () => number
  readonly #leave: () => void
  #controller!: ReadableStreamDefaultController<Uint8Array>
  /** Resolves the pending `pull`; set while the client waits for the next chunk. */
  #pulled: (() => void) | undefined
  #isTaking = false
  #isChanged = false
  #isOver = false
  #since: number

  constructor(source: EventSource, now: () => number, leave: () => void) {
    this.#source = source
    this.#now = now
    this.#leave = leave
    this.#since = now()
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
    this.#source.onChange(() => {
      this.#isChanged = true
      if (this.#pulled !== undefined) void this.#send()
    })
  }

  pull(): Promise<void> {
    return new Promise((resolve) => {
      this.#pulled = resolve
      void this.#send()
    })
  }

  cancel(): void {
    this.#finish()
  }

  /** Sends a heartbeat, or disconnects a client that does not read. */
  beat({ heartbeatMs, stallMs }: StreamTimes): void {
    const silentMs = this.#now() - this.#since
    if (this.#pulled === undefined) {
      if (silentMs < stallMs) return
      this.#finish()
      this.#controller.error(new Error('The client did not read the stream.'))
    } else if (!this.#isTaking && silentMs >= heartbeatMs) this.#give(HEARTBEAT)
  }

  end(): void {
    if (this.#isOver) return
    this.#finish()
    this.#controller.close()
  }

  async #send(): Promise<void> {
    if (this.#isTaking || this.#isOver) return
    this.#isTaking = true
    try {
      do {
        this.#isChanged = false
        const taken = this.#source.take()
        const text = taken instanceof Promise ? await taken : taken
        if (this.#isOver) return
        if (text !== undefined && text !== '') return this.#give(text)
        if (this.#source.isOver) return this.end()
      } while (this.#isChanged)
    } catch (error) {
      if (this.#isOver) return
      this.#finish()
      this.#controller.error(error)
    } finally {
      this.#isTaking = false
    }
  }

  #give(text: string): void {
    const resolve = this.#pulled
    this.#pulled = undefined
    this.#since = this.#now()
    this.#controller.enqueue(encoder.encode(text))
    resolve?.()
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#pulled?.()
    this.#source.close()
    this.#leave()
  }
}
