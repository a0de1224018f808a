import { readStart } from '../../journal/index.ts'
import type { Journal, RunSummary } from '../../journal/index.ts'
import type { PostgresLink, Session } from '../../store/postgres/index.ts'
import { DEFAULT_QUEUE } from './options.ts'
import type { QueueOptions } from './options.ts'
import { segmentTable } from './tables.ts'

/** The queue of a run and its partition in that queue. */
interface Place {
  readonly queueName: string
  readonly queuePartitionKey?: string
}

type Queues = Readonly<Record<string, QueueOptions>>

/** Returns the name of a queue in DBOS. The prefix prevents clashes with the queues of other programs. */
export function queueName(name: string): string {
  return `mandate-${name}`
}

const READ_EVERY_MS = 5_000

/** Reads the queues that workers have published and selects the queue of a run. */
export class QueueRouter {
  readonly #link: PostgresLink
  readonly #now: () => number
  #known: { readonly queues: Promise<Queues>; readonly at: number } | undefined

  constructor(link: PostgresLink, now: () => number) {
    this.#link = link
    this.#now = now
  }

  /** Publishes the queues of a worker. Queues of a later deployment replace queues of the same name. */
  async publish(queues: Queues): Promise<void> {
    for (const [name, options] of Object.entries(queues)) {
      const sql = `INSERT INTO ${this.#link.table('queues')} (name, options) VALUES ($1, $2::jsonb)
        ON CONFLICT (name) DO UPDATE SET options = excluded.options`
      await this.#link.query(sql, [name, JSON.stringify(options)])
    }
    this.#known = undefined
  }

  /**
   * Deletes queues that no worker configures any more and moves their waiting segments to `default`, because no worker would dequeue them. While no worker is
   * running, all queues are kept for workers that start later.
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

  /**
   * Returns the queue and partition of a run. The partition key is set even if the queue has no limit per identity: a worker with such a limit ignores segments
   * without a partition key, and a worker without one ignores the key.
   */
  async placeOf(journal: Journal, { run, name }: RunSummary): Promise<Place> {
    const queues = await this.queues()
    const found = Object.entries(queues).find(([, { agents }]) => agents.includes(name))
    if (found === undefined) return { queueName: queueName(DEFAULT_QUEUE) }
    const tenant = (await readStart(journal, run))?.identity.id ?? ''
    return { queueName: queueName(found[0]), queuePartitionKey: tenant }
  }
}
