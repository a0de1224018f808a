import { MandateError } from '../../core/index.ts'
import type { ServiceAs } from '../../agent/index.ts'
import type { ListPlace } from '../../journal/index.ts'
import { noteOf } from './all-feed.ts'
import type { AllFeed, RunNote } from './all-feed.ts'
import { RETRY_MS, eventText } from './run-reader.ts'
import type { EventSource } from './sse.ts'

/** The overlap for a client that reconnects: clocks of processes that share a store differ, and entries are stored slightly after their timestamp. */
const OVERLAP_MS = 10_000
const PAGE = 200
/** The maximum number of runs that are scanned for a client that reconnects. */
const SCANNED_MAX = 10_000
const RIGHTS_MAX = 10_000
const PIECE_LENGTH = 65_536

/**
 * The stream of all runs for one client. Event ids are timestamps, because entries of different runs are ordered by time only. A client that reconnects
 * therefore receives some entries again, and deduplicates them by `runId` and `seq`.
 */
export class AllReader implements EventSource {
  readonly isOver = false
  readonly #feed: AllFeed
  readonly #service: ServiceAs
  readonly #rights = new Map<string, boolean>()
  #place: number
  /** The time up to which the client has received everything. */
  #since: number
  #missed: AsyncGenerator<string> | undefined
  /** The last `seq` per run that was sent while catching up; the feed may contain the same entries. */
  #sent = new Map<string, number>()
  #isBegun = false
  #unlisten: (() => void) | undefined

  constructor(feed: AllFeed, service: ServiceAs, since: number | undefined) {
    this.#feed = feed
    this.#service = service
    this.#since = since ?? feed.now()
    this.#place = feed.end
    if (since !== undefined) this.#missed = this.#catchUp(since)
  }

  onChange(changed: () => void): void {
    this.#unlisten = this.#feed.onChange(changed)
  }

  close(): void {
    this.#unlisten?.()
    void this.#missed?.return(undefined).catch(() => {})
  }

  async take(): Promise<string | undefined> {
    if (!this.#isBegun) {
      this.#isBegun = true
      // Sent at once, so that a client that is disconnected before the first event resumes from this time.
      return `retry: ${RETRY_MS}\nid: ${this.#since}\n\n`
    }
    if (this.#missed !== undefined) {
      const { done, value } = await this.#missed.next()
      if (done !== true) return value
      this.#missed = undefined
    }
    let text = ''
    while (text.length < PIECE_LENGTH) {
      const note = this.#feed.at(this.#place)
      if (note === null) {
        this.#place = this.#feed.end
        this.#missed = this.#catchUp(this.#since)
        return text === '' ? this.take() : text
      }
      if (note === undefined) break
      this.#place++
      if (note.seq <= (this.#sent.get(note.runId) ?? 0)) continue
      if (!(await this.#mayRead(note.runId))) continue
      this.#since = Math.max(this.#since, note.at)
      text += this.#textOf(note)
    }
    if (text === '') this.#sent.clear()
    return text === '' ? undefined : text
  }

  #textOf(note: RunNote): string {
    return `id: ${this.#since}\n${eventText(note)}`
  }

  async #mayRead(run: string): Promise<boolean> {
    const known = this.#rights.get(run)
    if (known !== undefined) return known
    if (this.#rights.size >= RIGHTS_MAX) this.#rights.clear()
    let may = true
    const entries = this.#service.entries(run)
    try {
      await entries.next()
    } catch (error) {
      if (!MandateError.isInstance(error) || error.code !== 'DENIED') throw error
      may = false
    } finally {
      await entries.return(undefined)
    }
    this.#rights.set(run, may)
    return may
  }

  /**
   * Yields what has happened since a given time, run by run. The id advances only after all of them were sent: a client that is disconnected earlier would
   * otherwise miss events of the other runs.
   */
  async *#catchUp(moment: number): AsyncGenerator<string> {
    const began = this.#feed.now()
    yield* this.#missedSince(moment - OVERLAP_MS)
    this.#since = Math.max(this.#since, began)
    yield `id: ${this.#since}\n\n`
  }

  async *#missedSince(from: number): AsyncGenerator<string> {
    let after: ListPlace | undefined
    for (let scanned = 0; scanned < SCANNED_MAX; scanned += PAGE) {
      const page = await this.#service.runs({ limit: PAGE, ...(after === undefined ? {} : { after }) })
      for (const summary of page) {
        if (summary.updatedAt < from) continue
        let text = ''
        for await (const entry of this.#service.entries(summary.run)) {
          if (entry.at < from) continue
          this.#sent.set(entry.run, entry.seq)
          text += this.#textOf(noteOf(entry, { sessionId: summary.sessionId, agentId: summary.name }))
          if (text.length < PIECE_LENGTH) continue
          yield text
          text = ''
        }
        if (text !== '') yield text
      }
      const last = page.at(-1)
      if (last === undefined || page.length < PAGE) return
      after = { at: last.createdAt, run: last.run }
    }
    // There are more runs than are scanned, so the client has to read the list of runs.
    yield `event: gap\ndata: ${JSON.stringify({ since: from })}\n\n`
  }
}
