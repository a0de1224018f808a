import { readStart } from '../../journal/index.ts'
import type { Journal, RunSummary } from '../../journal/index.ts'
import type { PostgresLink } from '../../store/postgres/index.ts'
import { DEFAULT_QUEUE } from './options.ts'
import type { QueueOptions } from './options.ts'

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
  #known: { readonly queues: Queues; readonly at: number } | undefined

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

  async queues(): Promise<Queues> {
    if (this.#known !== undefined && this.#now() - this.#known.at < READ_EVERY_MS) return this.#known.queues
    const { rows } = await this.#link.query(`SELECT name, options FROM ${this.#link.table('queues')}`)
    const queues = Object.fromEntries(rows.map((row) => [row['name'] as string, row['options'] as QueueOptions]))
    this.#known = { queues, at: this.#now() }
    return queues
  }

  async placeOf(journal: Journal, { run, name }: RunSummary): Promise<Place> {
    const queues = await this.queues()
    const found = Object.entries(queues).find(([, { agents }]) => agents.includes(name))
    if (found === undefined) return { queueName: queueName(DEFAULT_QUEUE) }
    const [queue, { tenantConcurrency }] = found
    if (tenantConcurrency === undefined) return { queueName: queueName(queue) }
    const tenant = (await readStart(journal, run))?.identity.id ?? ''
    return { queueName: queueName(queue), queuePartitionKey: tenant }
  }
}
