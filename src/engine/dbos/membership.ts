import { MandateError, systemClock } from '../../core/index.ts'
import type { Client, PostgresLink, Session } from '../../store/postgres/index.ts'
import { segmentTable } from './tables.ts'

const BEAT_MS = 250
/** A worker that was not heard of for so long is looked at: its lock says whether it lives. */
const SILENT_MS = 500

/** What a worker says of itself. */
interface Member {
  readonly id: string
  /** Who holds the leases of the runs it drives. */
  readonly owner: string
  readonly place: string
  readonly version: string
  readonly protocol: number
  readonly minds: readonly string[]
  readonly queues: readonly string[]
  readonly concurrency: number
}

interface Parts {
  readonly link: PostgresLink
  readonly member: Member
  readonly frozenMs: number
  readonly running: () => number
  /** Gives back the leases of a worker that is gone. */
  readonly release: (owner: string) => Promise<void>
  readonly onFault: (error: unknown) => void
}

/**
 * Tells the other workers that this one lives, and takes over what dead ones left.
 *
 * A worker holds a lock of the database for as long as its connection lasts: the end of its process frees the lock at once. A frozen process keeps its
 * connection, so it has to give a sign of life besides. A worker that is taken for dead and is not can do no harm: its leases are gone, so the journal
 * refuses what it writes, and its rows have another owner.
 */
export class Membership {
  readonly #parts: Parts
  #state: 'up' | 'draining' = 'up'
  #client: Client | undefined
  #stopTimer: (() => void) | undefined
  #beating: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async join(): Promise<void> {
    await this.#refuseSameName()
    await this.#hold()
    await this.#say()
    this.#beat()
  }

  /** Says that this worker takes nothing more. */
  async drain(): Promise<void> {
    this.#state = 'draining'
    await this.#say().catch(this.#parts.onFault)
  }

  async leave(): Promise<void> {
    const { link, member } = this.#parts
    this.#isStopped = true
    this.#stopTimer?.()
    await this.#beating
    // One that could not hand everything over is left to the others.
    const left = `SELECT FROM ${segmentTable(link)} WHERE status = 'PENDING' AND executor_id = $1`
    const sql = `DELETE FROM ${link.table('workers')} WHERE id = $1 AND NOT EXISTS (${left})`
    await link.query(sql, [member.id]).catch(this.#parts.onFault)
    await this.#client?.end().catch(() => {})
  }

  /** Two deployments under one name would be taken for one by whoever looks at the list. */
  async #refuseSameName(): Promise<void> {
    const { link, member, frozenMs } = this.#parts
    const sql = `SELECT place FROM ${link.table('workers')} WHERE version = $1 AND minds <> $2::jsonb
      AND seen_at > now() - $3 * interval '1 ms' LIMIT 1`
    const { rows } = await link.query(sql, [member.version, JSON.stringify(member.minds), frozenMs])
    if (rows.length === 0) return
    throw new MandateError(
      'CONFIG_INVALID',
      `A worker on ${String(rows[0]!['place'])} is called version "${member.version}" and has other agents. Give this deployment another \`version\`, or the same agents.`,
    )
  }

  /** Takes the lock that says that this process lives, on a connection of its own; again after the connection was lost. */
  async #hold(): Promise<void> {
    const { link, member, onFault } = this.#parts
    const connection: { client?: Client; isGone: boolean } = { isGone: false }
    // It may end while it is being made, and before the lock is there.
    const client = await link.connect(() => {
      connection.isGone = true
      if (this.#client !== undefined && this.#client === connection.client) this.#client = undefined
    })
    connection.client = client
    // Others hold it only while they take over what they think this process has left.
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 7))', [member.id]).catch((error: unknown) => {
      void client.end().catch(onFault)
      throw error
    })
    if (!connection.isGone) this.#client = client
  }

  #beat(): void {
    this.#stopTimer = systemClock.timer(BEAT_MS, () => {
      this.#beating = this.#look()
        .catch(this.#parts.onFault)
        .then(() => {
          if (!this.#isStopped) this.#beat()
        })
    })
  }

  async #look(): Promise<void> {
    if (this.#client === undefined) await this.#hold()
    await this.#say()
    const { link, member, frozenMs } = this.#parts
    const sql = `SELECT id, owner, extract(epoch FROM now() - seen_at) * 1000 > $2 AS frozen
      FROM ${link.table('workers')} WHERE id <> $1 AND seen_at < now() - $3 * interval '1 ms'`
    const { rows } = await link.query(sql, [member.id, frozenMs, SILENT_MS])
    for (const row of rows) {
      const other = { id: row['id'] as string, owner: row['owner'] as string }
      if (row['frozen'] === true) await this.#recover(link, other)
      else await this.#tryDead(other)
    }
  }

  /** A lock that is free was held by a process that is gone. It is held while its runs are taken over, so that one worker does that. */
  async #tryDead(other: { readonly id: string; readonly owner: string }): Promise<void> {
    const { link } = this.#parts
    await link.transaction(async (session) => {
      const { rows } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS free', [
        other.id,
      ])
      if (rows[0]!['free'] !== true) return
      // Its row goes when a pass has found nothing left: one that was cut off halfway is made again.
      if ((await this.#recover(session, other)) === 0)
        await session.query(`DELETE FROM ${link.table('workers')} WHERE id = $1`, [other.id])
    })
  }

  /** Puts back into their queues the segments that a dead worker had. They keep how often they were tried. */
  async #recover(session: Session, other: { readonly id: string; readonly owner: string }): Promise<number> {
    await this.#parts.release(other.owner)
    const sql = `UPDATE ${segmentTable(this.#parts.link)}
      SET status = 'ENQUEUED', started_at_epoch_ms = NULL, owner_xid = NULL,
        updated_at = (extract(epoch FROM now()) * 1000)::bigint
      WHERE status = 'PENDING' AND executor_id = $1`
    return (await session.query(sql, [other.id])).count
  }

  async #say(): Promise<void> {
    const { link, member, running } = this.#parts
    const { id, owner, place, version, protocol, minds, queues, concurrency } = member
    const sql = `INSERT INTO ${link.table('workers')} AS w
        (id, owner, place, version, protocol, minds, queues, concurrency, running, state)
      VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9, $10)
      ON CONFLICT (id) DO UPDATE SET running = excluded.running, state = excluded.state, minds = excluded.minds, seen_at = now()`
    const lists = [JSON.stringify(minds), JSON.stringify(queues)]
    await link.query(sql, [id, owner, place, version, protocol, ...lists, concurrency, running(), this.#state])
  }
}
