import { sha256, systemClock } from '../../core/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { Client, PostgresLink } from '../../store/postgres/index.ts'
import { TextListener } from './text-listener.ts'
import { TextSpeaker } from './text-speaker.ts'

const TICK_MS = 200
/** Interval at which a process announces the runs whose text it wants, and how long an announcement is valid. */
const ASK_MS = 5_000
const WANTED_MS = 15_000
/** Postgres limits notification payloads to less than 8,000 bytes. */
const MESSAGE_MAX = 7_500

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  /** Whether this process drives runs whose text other processes may want. */
  readonly isWorker: boolean
}

/**
 * Relays streamed model text from the worker that drives a run to the processes that follow the run. It uses notifications of Postgres, which are not stored.
 * Lost pieces do no harm: followers get them with the message in the journal. Workers send nothing for runs that no process follows.
 */
export class TextRelay {
  readonly #parts: Parts
  readonly #speaker: TextSpeaker
  readonly #listener: TextListener
  readonly #wants: string
  readonly #texts: string
  /** Number of callers in this process that wait for the outcome of each run. Waiting alone does not request the text of the run. */
  readonly #awaited = new Map<string, number>()
  #asked: { readonly runs: ReadonlySet<string>; readonly at: number } = { runs: new Set(), at: 0 }
  #client: Client | undefined
  #stopTimer: (() => void) | undefined
  #working: Promise<void> = Promise.resolve()
  /** The next round, while the one before it is not over: what wants a round meanwhile shares it. */
  #planned: Promise<void> | undefined
  #notifying: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: Parts) {
    const { host, link } = parts
    const name = sha256(link.options.schema).slice(0, 16)
    this.#parts = parts
    this.#wants = `mandate_wants_${name}`
    this.#texts = `mandate_texts_${name}`
    this.#speaker = new TextSpeaker(host, (messages) => this.#notify(this.#texts, messages))
    this.#listener = new TextListener(host.events)
  }

  /** Starts the relay. When this resolves, a worker can receive announcements. */
  async start(): Promise<void> {
    if (this.#parts.isWorker) await this.#connect()
    this.#tick()
  }

  /** Counts a caller that waits for the outcome of a run, until the promise is settled. */
  await<T>(run: string, outcome: Promise<T>): Promise<T> {
    this.#count(run, 1)
    // Announced at once, because a run that has just started may stream soon.
    void this.#work()
    return outcome.finally(() => this.#count(run, -1))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#stopTimer?.()
    await this.#working
    this.#speaker.stop()
    this.#listener.stop()
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  #tick(): void {
    if (this.#isStopped) return
    this.#stopTimer = systemClock.timer(TICK_MS, () => void this.#work().then(() => this.#tick()), true)
  }

  /** Runs one round at a time. If the database is unreachable, the next tick retries; text that is streamed meanwhile is lost here. */
  #work(): Promise<void> {
    this.#working = this.#planned ??= this.#working
      .then(() => {
        this.#planned = undefined
        return this.#round()
      })
      .catch(() => {})
    return this.#working
  }

  async #round(): Promise<void> {
    if (this.#isStopped) return
    const now = systemClock.now()
    this.#speaker.expire(now)
    const runs = new Set(
      this.#parts.host.events.followed().flatMap(([run, count]) => (this.#isWanted(run, count) ? [run] : [])),
    )
    this.#listener.listenTo(runs)
    if (runs.size > 0 || this.#parts.isWorker) await this.#connect()
    const fresh = [...runs].filter((run) => !this.#asked.runs.has(run))
    const isDue = now - this.#asked.at >= ASK_MS
    if (isDue ? runs.size === 0 : fresh.length === 0) return
    this.#asked = { runs, at: isDue ? now : this.#asked.at }
    await this.#notify(this.#wants, [...pages(isDue ? [...runs] : fresh)])
  }

  #isWanted(run: string, listeners: number): boolean {
    const awaited = this.#awaited.get(run) ?? 0
    // The speaker of this process listens on behalf of other processes. Counting it as a listener would keep the announcement alive forever.
    const own = awaited + (this.#speaker.speaksFor(run) ? 1 : 0)
    return listeners > own || (awaited > 0 && this.#parts.host.events.wants('text-delta', ''))
  }

  #count(run: string, more: number): void {
    const count = (this.#awaited.get(run) ?? 0) + more
    if (count === 0) this.#awaited.delete(run)
    else this.#awaited.set(run, count)
  }

  async #connect(): Promise<void> {
    if (this.#client !== undefined) return
    // The connection can break while it is being opened.
    const connection: { client?: Client; isGone: boolean } = { isGone: false }
    const client = await this.#parts.link.connect(() => {
      connection.isGone = true
      if (this.#client !== undefined && this.#client === connection.client) this.#client = undefined
    })
    connection.client = client
    const own = (client as unknown as { readonly processID?: number }).processID
    client.on('notification', ({ channel, payload = '', processId }) => {
      // Listeners here have heard what this process says already.
      if (processId === undefined || processId !== own) this.#hear(channel, payload)
    })
    ;(client as unknown as { unref(): void }).unref()
    try {
      // Notifications need not survive a crash of the server.
      await client.query('SET synchronous_commit TO off')
      await client.query(`LISTEN ${this.#texts}`)
      if (this.#parts.isWorker) await client.query(`LISTEN ${this.#wants}`)
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
    if (this.#isStopped) await client.end()
    else if (!connection.isGone) this.#client = client
  }

  #hear(channel: string, text: string): void {
    if (channel === this.#texts) this.#listener.hear(text)
    else for (const run of text.split(' ')) this.#speaker.want(run, systemClock.now() + WANTED_MS)
  }

  /** Sends one statement at a time, because a connection runs one statement at a time. */
  #notify(channel: string, messages: readonly string[]): Promise<void> {
    const sql = 'SELECT count(pg_notify($1, text)) FROM unnest($2::text[]) AS n (text)'
    const notified = this.#notifying.then(async () => {
      await this.#client?.query(sql, [channel, messages]).catch(() => {})
    })
    this.#notifying = notified
    return notified
  }
}

/**
 * Opens the relay of an engine. An encrypted store has no relay, because the server may write notifications to its disk unencrypted; its text arrives with the
 * journal entries.
 */
export async function openTextRelay(parts: Parts): Promise<TextRelay | undefined> {
  if (parts.host.journal.isEncrypted === true) return undefined
  const relay = new TextRelay(parts)
  await relay.start()
  return relay
}

/** Joins run ids into messages, with as many ids per message as fit. */
function* pages(runs: readonly string[]): Generator<string> {
  let page = ''
  for (const run of runs) {
    if (page.length + run.length >= MESSAGE_MAX) {
      yield page
      page = ''
    }
    page += page === '' ? run : ` ${run}`
  }
  if (page !== '') yield page
}
