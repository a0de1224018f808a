import { sha256, systemClock, systemRandom } from '../../core/index.ts'
import type { Change } from '../../journal/index.ts'
import type { Client } from './driver.ts'
import type { PostgresLink } from './link.ts'

/** The server accepts notifications of less than 8,000 bytes. */
const MESSAGE_MAX = 7_000
const HEARTBEAT_MS = 10_000
const PAUSE_MAX_MS = 2_000

/**
 * Reports changes by other processes to watchers, on a connection of its own (LISTEN): immediately, and after a lost connection all changes since.
 * Changes by this process are reported by their writer.
 */
export class ChangeFeed {
  readonly channel: string
  readonly #link: PostgresLink
  readonly #tell: (changes: readonly Change[]) => void
  readonly #id = systemRandom.hex(6)
  #isWatching = false
  #client: Client | undefined
  #ready: PromiseWithResolvers<void> = Promise.withResolvers<void>()
  /** Transactions that may have been in progress at the second to last heartbeat: earlier ones were delivered. */
  #heard: { before: string | undefined; last: string | undefined } = { before: undefined, last: undefined }

  constructor(link: PostgresLink, tell: (changes: readonly Change[]) => void) {
    this.#link = link
    this.#tell = tell
    this.channel = `mandate_${sha256(link.options.schema).slice(0, 16)}`
  }

  /** The notifications about these runs, split by size. */
  texts(kind: Change['kind'], runs: readonly string[]): string[] {
    const start = `${this.#id} ${kind}`
    const texts: string[] = []
    let text = start
    for (const run of runs) {
      if (text.length + run.length > MESSAGE_MAX) {
        texts.push(text)
        text = start
      }
      text += ` ${run}`
    }
    return [...texts, text]
  }

  start(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#ready = Promise.withResolvers<void>()
    this.#heard = { before: undefined, last: undefined }
    void this.#listen()
  }

  stop(): void {
    this.#isWatching = false
    this.#ready.resolve()
    const client = this.#client
    this.#client = undefined
    void client?.end().catch(() => {})
  }

  /** Resolves once the subscription is active: a caller that watches first and reads afterwards misses no change in between. */
  ready(): Promise<void> {
    return this.#isWatching ? this.#ready.promise : Promise.resolve()
  }

  async #listen(): Promise<void> {
    for (let tries = 0; this.#isWatching && !this.#link.isClosed; tries++) {
      const lost = Promise.withResolvers<void>()
      let client: Client | undefined
      try {
        client = await this.#link.connect(lost.resolve)
        await this.#begin(client, tries > 0)
        tries = 0
        await Promise.race([lost.promise, this.#beat(client)])
      } catch {
        // Errors of the server are reported by queries; the feed only reconnects.
      }
      // Reads need not wait for an unreachable server; changes that are missed now are reported later.
      this.#ready.resolve()
      if (this.#client === client) this.#client = undefined
      void client?.end().catch(() => {})
      if (this.#isWatching) await pause(Math.min(20 * 2 ** tries, PAUSE_MAX_MS))
    }
  }

  async #begin(client: Client, isRepeat: boolean): Promise<void> {
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''))
    // A subscription alone does not keep the process running.
    ;(client as unknown as { unref(): void }).unref()
    this.#client = client
    await client.query(`LISTEN ${this.channel}`)
    if (isRepeat) await this.#catchUp(client)
    await this.#note(client)
    this.#ready.resolve()
  }

  async #beat(client: Client): Promise<void> {
    while (this.#isWatching && this.#client === client) {
      await pause(HEARTBEAT_MS)
      await this.#note(client)
    }
  }

  async #note(client: Client): Promise<void> {
    const { rows } = await client.query<{ oldest: string }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest',
    )
    this.#heard = { before: this.#heard.last, last: rows[0]!.oldest }
  }

  /** Reports every row that was written since the last heartbeat, or all rows if that is not known. */
  async #catchUp(client: Client): Promise<void> {
    const since = this.#heard.before ?? this.#heard.last ?? null
    const newer = '$1::text IS NULL OR age(xmin) <= age($1::text::xid8::xid)'
    for (const [kind, table] of [
      ['entry', 'heads'],
      ['signal', 'signals'],
    ] as const) {
      const sql = `SELECT DISTINCT run FROM ${this.#link.table(table)} WHERE ${newer}`
      const { rows } = await client.query<{ run: string }>(sql, [since])
      this.#tell(rows.map(({ run }) => ({ run, kind })))
    }
  }

  #hear(text: string): void {
    const [from, kind, ...runs] = text.split(' ')
    if (from === this.#id || (kind !== 'entry' && kind !== 'signal')) return
    this.#tell(runs.map((run) => ({ run, kind })))
  }
}

/** Waits without keeping the process running. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => systemClock.timer(ms, resolve, true))
}
