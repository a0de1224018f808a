import { readStart } from '../../journal/index.ts'
import type { Journal, RunSummary } from '../../journal/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import { DEFAULT_QUEUE } from './options.ts'
import type { QueueOptions } from './options.ts'
import { segmentTable } from './tables.ts'

/** Where a run belongs. */
interface Place {
  readonly queueName: string
  readonly queuePartitionKey?: string
}

type Queues = Readonly<Record<string, QueueOptions>>

/** Queues of ours have a prefix, so that they meet none of another program. */
export function queueName(name: string): string {
  return `mandate-${name}`
}

const READ_EVERY_MS = 5_000

/** Knows the queues that workers have published, and which of them a run goes to. */
export class QueueRouter {
  readonly #link: PostgresLink
  readonly #now: () => number
  #known: { readonly queues: Promise<Queues>; readonly at: number } | undefined

  constructor(link: PostgresLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  /** A worker says which queues there are. Those of a later deployment replace those of an earlier one by name. */
  async publish(queues: Queues): Promise<void> {
    for (const [name, options] of Object.entries(queues)) {
      const sql = `INSERT INTO ${this.#link.table('queues')} (name, options) VALUES ($1, $2::jsonb)
        ON CONFLICT (name) DO UPDATE SET options = excluded.options`
      await this.#link.query(sql, [name, JSON.stringify(options)])
    }
    this.#known = undefined
  }

  /**
   * Forgets queues that no worker configures any more, and moves what waits there to `default`: no worker would ever take it. While no worker is up the
   * queues stay as they are, for those that come.
   */
  async prune(session: Session): Promise<void> {
    const { rows } = await session.query(`SELECT FROM ${this.#link.table('workers')} WHERE state = 'up' LIMIT 1`)
    if (rows.length === 0) return
    const queues = this.#link.table('queues')
    const unused = `DELETE FROM ${queues} AS q
      WHERE NOT EXISTS (SELECT FROM ${this.#link.table('workers')} AS w WHERE w.configured ? q.name)`
    await session.query(unused)
    const move = `UPDATE ${segmentTable(this.#link)} SET queue_name = $1, queue_partition_key = NULL
      WHERE status IN ('ENQUEUED', 'DELAYED') AND queue_name LIKE $2 AND queue_name <> $1
        AND NOT EXISTS (SELECT FROM ${queues} AS q WHERE queue_name = $3 || q.name)`
    await session.query(move, [queueName(DEFAULT_QUEUE), queueName('%'), queueName('')])
  }

  queues(): Promise<Queues> {
    if (this.#known !== undefined && this.#now() - this.#known.at < READ_EVERY_MS) return this.#known.queues
    const queues = this.#read()
    this.#known = { queues, at: this.#now() }
    queues.catch(() => (this.#known = undefined))
    return queues
  }

  async #read(): Promise<Queues> {
    const { rows } = await this.#link.query(`SELECT name, options FROM ${this.#link.table('queues')}`)
    return Object.fromEntries(rows.map((row) => [row['name'] as string, row['options'] as QueueOptions]))
  }

  /** The part of a queue is named whether or not the queue has a limit for each identity: a worker that has one takes nothing without a part, and one that has none does not look at it. */
  async placeOf(journal: Journal, { run, name }: RunSummary): Promise<Place> {
    const queues = await this.queues()
    const found = Object.entries(queues).find(([, { agents }]) => agents.includes(name))
    if (found === undefined) return { queueName: queueName(DEFAULT_QUEUE) }
    const tenant = (await readStart(journal, run))?.identity.id ?? ''
    return { queueName: queueName(found[0]), queuePartitionKey: tenant }
  }
}
