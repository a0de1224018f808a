import { afterTurn, messageOf } from '../../core/index.ts'
import type { BusEvent, Json } from '../../core/index.ts'
import type { Entry, Journal, MandateEvent, RunEventBus, RunSummary } from '../../journal/index.ts'
import { isEnded, readStart } from '../../journal/index.ts'
import { hidesIntents } from '../../run/index.ts'
import type { StreamedText } from './live-texts.ts'
import { replyTexts } from './reply-texts.ts'

/** An event as it is sent to clients. */
export type WireEvent = BusEvent<string, Json>

/** One item of the feed, in the order in which clients receive it. */
export type FeedItem =
  | {
      readonly is: 'entry'
      readonly seq: number
      readonly event: WireEvent
      /** Texts of the call that this entry ends: clients get the rest of them before the entry. */
      readonly texts: readonly StreamedText[]
      /** The serialized event, created once for all clients. */
      encoded?: string
    }
  | { readonly is: 'text'; readonly text: StreamedText }
  | { readonly is: 'event'; readonly event: WireEvent; encoded?: string }

interface FeedParts {
  readonly run: string
  readonly journal: Journal
  readonly events: RunEventBus
  /** Returns the texts in progress, when the feed starts and whenever a client joins. */
  texts(): readonly StreamedText[]
  /** Called when the journal contains the texts of a call, or without a key when no text is in progress any more. */
  over?(key?: string): void
}

/** The maximum number of items for clients that are slightly behind; those that are further behind read the journal. */
const ITEMS_MAX = 512
const BYTES_MAX = 1_048_576

/**
 * The events of one run, for all clients that follow it. Entries are published once the store has them, so that no client sees an entry that a crash
 * discards. In between come events that are not stored: texts as they are written, progress, steps.
 */
export class RunFeed {
  readonly run: string
  readonly #parts: FeedParts
  readonly #changed = new Set<() => void>()
  readonly #stops: (() => void)[] = []
  /** Texts of calls whose end is not stored yet. */
  readonly #texts = new Map<string, StreamedText[]>()
  /** Calls whose end was published. */
  readonly #ended = new Set<string>()
  #items: FeedItem[] = []
  #sizes: number[] = []
  #bytes = 0
  /** The number of items that were dropped from the front. */
  #dropped = 0
  #seq = 0
  #isOver = false
  #hidesIntents = false
  #failure: string | undefined
  #isReading = false
  #isStale = false
  #isTelling = false
  #summary: RunSummary | undefined
  /** Resolves when the feed has read the state of the run. */
  readonly ready: Promise<void>

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.run = parts.run
    this.ready = this.#begin()
    this.ready.catch(() => {})
  }

  /** The seq of the last entry that was published. */
  get seq(): number {
    return this.#seq
  }

  /** Whether the intents that the model declares for its calls are removed from texts. */
  get hidesIntents(): boolean {
    return this.#hidesIntents
  }

  /** Whether the run has ended: no entries follow the existing ones. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The error that stopped the feed. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** The position of the next item. */
  get end(): number {
    return this.#dropped + this.#items.length
  }

  /** Returns the item at a position; `undefined` if it does not exist yet, `null` if it was dropped. */
  at(index: number): FeedItem | undefined | null {
    return index < this.#dropped ? null : this.#items[index - this.#dropped]
  }

  texts(): readonly StreamedText[] {
    return this.#parts.texts()
  }

  /** Converts an entry of the run to an event. */
  eventOf({ type, at, seq, key, data }: Entry): WireEvent {
    const { sessionId = '', name: agentId = '' } = this.#summary ?? {}
    return { v: 1, type, at, runId: this.run, sessionId, agentId, seq, key, data: data as unknown as Json }
  }

  /** Calls back, at most once per turn of the event loop, when there is more. */
  onChange(changed: () => void): () => void {
    this.#changed.add(changed)
    return () => void this.#changed.delete(changed)
  }

  /** Publishes that a text was extended. */
  addText(text: StreamedText): void {
    const name = text.key ?? ''
    // The entry that ends the call may come first when another process drives the run.
    if (this.#ended.has(name)) return this.#parts.over?.(name)
    const known = this.#texts.get(name) ?? []
    if (text.key !== undefined && !known.includes(text)) this.#texts.set(name, [...known, text])
    const last = this.#items.at(-1)
    // One item represents all later additions to its text, because clients read the text itself.
    if (last?.is === 'text' && last.text === text) this.#tell()
    else this.#push({ is: 'text', text }, 0)
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop()
    this.#changed.clear()
  }

  async #begin(): Promise<void> {
    const { journal, events, run } = this.#parts
    // Subscribed before the first read of the store, so that no entry is missed in between.
    this.#stops.push(
      journal.watch(run, () => void this.#read()),
      events.onRun(run, (event) => this.#saw(event)),
    )
    for (const text of this.#parts.texts())
      this.#texts.set(text.key ?? '', [...(this.#texts.get(text.key ?? '') ?? []), text])
    const summary = await journal.summary(run)
    this.#summary = summary
    const start = await readStart(journal, run)
    this.#hidesIntents = hidesIntents(start?.pins)
    this.#seq = summary?.head.seq ?? 0
    this.#isOver = summary !== undefined && isEnded(summary.state)
    await this.#read()
  }

  /** Publishes events that have no entry; texts are added by `addText`. */
  #saw(event: MandateEvent): void {
    const { type, key, seq } = event
    if (seq !== undefined || type === 'text-delta' || type === 'reasoning-delta') return
    if (type === 'stream-reset') this.#texts.delete(key ?? '')
    const wire = event as unknown as WireEvent
    this.#push({ is: 'event', event: wire }, sizeOf(wire.data))
  }

  /** Reads new entries from the store, one read at a time. */
  async #read(): Promise<void> {
    this.#isStale = true
    if (this.#isReading || this.#isOver) return
    this.#isReading = true
    try {
      while (this.#isStale && !this.#isOver) {
        this.#isStale = false
        for await (const entry of this.#parts.journal.read(this.run, this.#seq + 1)) await this.#add(entry)
      }
    } catch (error) {
      this.#failure = messageOf(error)
      this.#tell()
    } finally {
      this.#isReading = false
    }
  }

  async #add(entry: Entry): Promise<void> {
    this.#summary ??= await this.#parts.journal.summary(this.run)
    const key = entry.key ?? ''
    const texts = entry.type === 'effect-end' ? (this.#texts.get(key) ?? []) : []
    if (texts.length > 0) this.#texts.delete(key)
    for (const { type, data } of texts.length > 0 ? replyTexts(entry, this.eventOf(entry), this.#hidesIntents) : [])
      for (const text of texts) if (text.type === type) complete(text, (data as { readonly text: string }).text)
    if (entry.type === 'effect-end') this.#endCall(key)
    if (entry.type === 'run-end' || entry.type === 'run-suspend') this.#endTexts()
    this.#seq = entry.seq
    this.#isOver = entry.type === 'run-end'
    const event = this.eventOf(entry)
    this.#push({ is: 'entry', seq: entry.seq, event, texts }, sizeOf(event.data))
  }

  #endCall(key: string): void {
    this.#ended.add(key)
    this.#parts.over?.(key)
  }

  #endTexts(): void {
    this.#texts.clear()
    this.#parts.over?.()
  }

  #push(item: FeedItem, bytes: number): void {
    this.#items.push(item)
    this.#sizes.push(bytes)
    this.#bytes += bytes
    if (this.#items.length > ITEMS_MAX || (this.#bytes > BYTES_MAX && this.#items.length > 1)) this.#shrink()
    this.#tell()
  }

  /** Drops the older half, so that not every new item causes a copy. */
  #shrink(): void {
    let count = 0
    while (
      count < this.#items.length - 1 &&
      (this.#items.length - count > ITEMS_MAX / 2 || this.#bytes > BYTES_MAX / 2)
    )
      this.#bytes -= this.#sizes[count++]!
    this.#items = this.#items.slice(count)
    this.#sizes = this.#sizes.slice(count)
    this.#dropped += count
  }

  /** Notifies listeners once per turn of the event loop, which coalesces deltas. */
  #tell(): void {
    if (this.#isTelling || this.#changed.size === 0) return
    this.#isTelling = true
    afterTurn(() => {
      this.#isTelling = false
      for (const changed of this.#changed) changed()
    })
  }
}

/** Completes a text from its entry: when another process drives the run, the last pieces may not have been streamed. */
function complete(text: StreamedText, whole: string): void {
  if (whole.length > text.text.length && whole.startsWith(text.text)) text.text = whole
}

/** Estimates the memory size of the data without serializing it. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 16
  for (const item of Object.values(value)) size += sizeOf(item)
  return size
}
