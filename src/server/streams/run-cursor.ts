import type { Entry } from '../../journal/index.ts'
import type { StreamedText } from './live-texts.ts'
import { replyTexts } from './reply-texts.ts'
import type { FeedItem, RunFeed, WireEvent } from './run-feed.ts'

/** One event for a client. Entries have a `seq`. */
export interface Step {
  readonly event: WireEvent
  /** Where the written form is kept for the other clients. */
  readonly item?: { encoded?: string } | undefined
}

interface CursorSource {
  /** Entries from the journal, in the name of the client. */
  read(fromSeq: number): AsyncGenerator<Entry>
  readonly leave: () => void
}

/**
 * The place of one client in a run: the entries behind the one it has, from the journal, then what happens. It keeps a place and nothing else, so that a
 * client which reads slowly takes no memory: it skips to the newest text, and reads entries that the feed has dropped from the journal.
 */
export class RunCursor {
  readonly feed: RunFeed
  readonly #source: CursorSource
  /** How much of each text the client has. */
  readonly #offsets = new Map<StreamedText, number>()
  readonly #ready: Step[] = []
  /** The seq that comes next. */
  #next: number
  /** The place in the feed; `undefined` while entries come from the journal. */
  #place: number | undefined
  #journal: AsyncGenerator<Entry> | undefined

  constructor(feed: RunFeed, after: number, source: CursorSource) {
    this.feed = feed
    this.#next = after + 1
    this.#source = source
  }

  /** The next event; `undefined` when there is none yet. A promise only while it reads the journal. */
  next(): Step | undefined | Promise<Step | undefined> {
    for (;;) {
      const ready = this.#ready.shift()
      if (ready !== undefined) return ready
      if (this.#place === undefined) return this.#nextStored()
      const item = this.feed.at(this.#place)
      if (item === undefined) {
        // The last item stands for all that is added to its text.
        const last = this.#place === 0 ? undefined : this.feed.at(this.#place - 1)
        if (last?.is === 'text') this.#addRest(last.text)
        return this.#ready.shift()
      }
      if (item === null) {
        // Too far behind: what was dropped is in the journal, and texts are sent from their beginning.
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
        // A client may have the beginning of a text whose end it missed: it gets the whole text, and then the entry.
        for (const text of replyTexts(value, event, this.feed.hidesIntents)) this.#ready.push({ event: text })
        this.#ready.push({ event })
        return this.#ready.shift()
      }
    }
    // Nothing is awaited from here on: the place in the feed and what is being said belong together.
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

  /** What of a text the client does not have, with the place where it begins. */
  #addRest(text: StreamedText): void {
    const offset = this.#offsets.get(text) ?? 0
    if (offset >= text.text.length) return
    const { type, run: runId, key, at, sessionId, agentId } = text
    // A text without a key never goes on: nothing has to be remembered of it.
    if (key !== undefined) this.#offsets.set(text, text.text.length)
    const data = { text: text.text.slice(offset), offset }
    this.#ready.push({ event: { v: 1, type, at, runId, sessionId, agentId, key, data } })
  }
}
