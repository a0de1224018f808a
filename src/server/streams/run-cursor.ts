import type { Entry } from '../../journal/index.ts'
import type { StreamedText } from './live-texts.ts'
import { replyTexts } from './reply-texts.ts'
import type { FeedItem, RunFeed, WireEvent } from './run-feed.ts'

/** One event for a client. Only entries have a `seq`. */
export interface Step {
  readonly event: WireEvent
  /** The feed item that caches the serialized event for the other clients. */
  readonly item?: { encoded?: string } | undefined
}

interface CursorSource {
  /** Reads entries from the journal in the name of the client. */
  read(fromSeq: number): AsyncGenerator<Entry>
  readonly leave: () => void
}

/**
 * The position of one client in the events of a run: entries from the journal first, then live events. It keeps only a position, so a slow client takes no
 * memory: it skips to the newest text, and reads entries that the feed has dropped from the journal.
 */
export class RunCursor {
  readonly feed: RunFeed
  readonly #source: CursorSource
  /** The number of characters of each text that the client has. */
  readonly #offsets = new Map<StreamedText, number>()
  readonly #ready: Step[] = []
  /** The seq of the next entry. */
  #next: number
  /** The position in the feed; `undefined` while entries come from the journal. */
  #place: number | undefined
  #journal: AsyncGenerator<Entry> | undefined

  constructor(feed: RunFeed, after: number, source: CursorSource) {
    this.feed = feed
    this.#next = after + 1
    this.#source = source
  }

  /** Returns the next event; `undefined` if there is none yet. Returns a promise only while it reads the journal. */
  next(): Step | undefined | Promise<Step | undefined> {
    for (;;) {
      const ready = this.#ready.shift()
      if (ready !== undefined) return ready
      if (this.#place === undefined) return this.#nextStored()
      const item = this.feed.at(this.#place)
      if (item === undefined) {
        // The last item represents all later additions to its text.
        const last = this.#place === 0 ? undefined : this.feed.at(this.#place - 1)
        if (last?.is === 'text') this.#addRest(last.text)
        return this.#ready.shift()
      }
      if (item === null) {
        // The client is too far behind: dropped entries are read from the journal, and texts are sent from their beginning.
        this.#place = undefined
        this.#offsets.clear()
      } else {
        this.#place++
        this.#add(item)
      }
    }
  }

  close(): void {
    void this.#journal?.return(undefined).catch(() => {})
    this.#source.leave()
  }

  async #nextStored(): Promise<Step | undefined> {
    while (this.#next <= this.feed.seq || this.#journal !== undefined) {
      this.#journal ??= this.#source.read(this.#next)
      const { done, value } = await this.#journal.next()
      if (done === true) this.#journal = undefined
      else {
        this.#next = value.seq + 1
        const event = this.feed.eventOf(value)
        // A client may have the beginning of a text but not its end: it gets the whole text, and then the entry.
        for (const text of replyTexts(value, event, this.feed.hidesIntents)) this.#ready.push({ event: text })
        this.#ready.push({ event })
        return this.#ready.shift()
      }
    }
    // Nothing is awaited from here on, so that the position in the feed and the texts in progress are from the same moment.
    this.#place = this.feed.end
    for (const text of this.feed.texts()) this.#addRest(text)
    return this.next()
  }

  #add(item: FeedItem): void {
    if (item.is === 'text') return this.#addRest(item.text)
    if (item.is === 'entry') {
      if (item.seq < this.#next) return
      this.#next = item.seq + 1
      for (const text of item.texts) {
        this.#addRest(text)
        this.#offsets.delete(text)
      }
    }
    this.#ready.push({ event: item.event, item })
  }

  /** Queues the rest of a text that the client does not have, with its offset. */
  #addRest(text: StreamedText): void {
    const offset = this.#offsets.get(text) ?? 0
    if (offset >= text.text.length) return
    const { type, run: runId, key, at, sessionId, agentId } = text
    // A text without a key is never extended, so its offset is not kept.
    if (key !== undefined) this.#offsets.set(text, text.text.length)
    const data = { text: text.text.slice(offset), offset }
    this.#ready.push({ event: { v: 1, type, at, runId, sessionId, agentId, key, data } })
  }
}
