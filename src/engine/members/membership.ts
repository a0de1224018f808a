import { hostname } from 'node:os'
import { MandateError, canonical, sha256, systemClock } from '../../core/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { Client, PostgresLink, Session } from '../../store/postgres/index.ts'

/** How long calls in flight may continue in a worker that shuts down. It stays within the 30 s that orchestrators grant a process. */
export const DRAIN_MS = 20_000
const BEAT_MS = 250
/** Time without a heartbeat after which other workers check the lock of a worker to find out whether its process is alive. */
const SILENT_MS = 500

/** The published data of a worker. */
interface Member {
  readonly id: string
  /** The owner of the leases of the runs that it drives. */
  readonly owner: string
  readonly place: string
  readonly version: string
  readonly protocol: number
  /** Minds as `kind/name`, each with a hash of its pins. */
  readonly minds: Readonly<Record<string, string>>
  readonly queues: readonly string[]
  readonly configured: readonly string[]
  readonly concurrency: number
  readonly address: string | undefined
}

/** Operations on the segments that an engine has assigned to a worker. An engine whose server keeps the assignments has none. */
export interface Claims {
  count(session: Session, worker: string): Promise<number>
  /** Gives back the segments of a dead worker for others to drive, and returns their number. */
  giveBack(session: Session, worker: string): Promise<number>
}

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly id: string
  readonly engine: 'dbos' | 'restate'
  /** The name of the deployment; if empty, it is derived from the minds and their pins. */
  readonly version: string
  /** The queues it dequeues from. */
  readonly queues: readonly string[]
  /** The queues that its configuration defines. */
  readonly configured: readonly string[]
  readonly concurrency: number
  readonly frozenMs: number
  readonly running: () => number
  readonly claims?: Claims | undefined
  /** The address at which the engine delivers segments; absent if the worker dequeues them itself. */
  readonly address?: string | undefined
  /** Called after a dead worker was taken over. */
  readonly onGone?: (() => void) | undefined
}

/**
 * Publishes the heartbeat of this worker and takes over the runs of dead workers.
 *
 * A worker holds an advisory lock of the database while its connection is open: the end of its process frees the lock at once. A frozen process keeps its
 * connection, so workers also publish a heartbeat. A worker that is wrongly taken for dead cannot do harm: its leases are fenced off, so the journal rejects
 * its writes, and its rows have another owner.
 */
export class Membership {
  readonly #parts: Parts
  readonly #member: Member
  #state: 'up' | 'draining' = 'up'
  #client: Client | undefined
  #stopTimer: (() => void) | undefined
  #beating: Promise<void> = Promise.resolve()
  #isMember = false
  #isStopped = false

  constructor(parts: Parts) {
    const { host, id, version, queues, configured, concurrency, address } = parts
    const minds = host.minds()
    this.#parts = parts
    this.#member = {
      ...{
        id,
        owner: host.owner,
        place: `${hostname()}:${process.pid}`,
        protocol: PROTOCOL,
        minds,
        queues,
        configured,
        concurrency,
        address,
      },
      version: version === '' ? sha256(canonical(minds)).slice(0, 8) : version,
    }
  }

  async join(): Promise<void> {
    const { link } = this.#parts
    await this.#hold()
    try {
      await link.transaction(async (session) => {
        // Serializes joins, so that the second of two concurrent joins finds the first.
        await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 6))', [`join ${link.options.schema}`])
        await this.#refuseSameName(session)
        await this.#say(session)
      })
    } catch (error) {
      await this.#client?.end().catch(() => {})
      throw error
    }
    this.#isMember = true
    this.#beat()
  }

  /** Publishes that this worker accepts no more runs. */
  async drain(): Promise<void> {
    this.#state = 'draining'
    if (this.#isMember) await this.#say().catch(this.#fault)
  }

  async leave(): Promise<void> {
    const { link, id, claims } = this.#parts
    this.#isStopped = true
    this.#stopTimer?.()
    await this.#beating
    try {
      // The row of a worker that could not give everything back is left for other workers to recover.
      const left = this.#isMember ? ((await claims?.count(link, id)) ?? 0) : undefined
      this.#isMember = false
      if (left === 0) await link.query(`DELETE FROM ${link.table('workers')} WHERE id = $1`, [id])
    } catch (error) {
      this.#fault(error)
    }
    await this.#client?.end().catch(() => {})
  }

  readonly #fault = (error: unknown): void => this.#parts.host.onFault('*', error)

  /** Rejects two different deployments with the same version name, which readers of the worker list could not tell apart. */
  async #refuseSameName(session: Session): Promise<void> {
    const { link, frozenMs } = this.#parts
    const member = this.#member
    // A worker whose lock is free is dead and has not been cleared away yet.
    const sql = `SELECT place, minds FROM ${link.table('workers')} WHERE version = $1 AND minds <> $2::jsonb
      AND seen_at > now() - $3 * interval '1 ms' AND NOT pg_try_advisory_xact_lock(hashtextextended(id, 7)) LIMIT 1`
    const { rows } = await session.query(sql, [member.version, JSON.stringify(member.minds), frozenMs])
    if (rows.length === 0) return
    const others = rows[0]!['minds'] as Member['minds']
    const names = new Set([...Object.keys(others), ...Object.keys(member.minds)])
    const differing = [...names].filter((name) => others[name] !== member.minds[name]).toSorted()
    throw new MandateError(
      'CONFIG_INVALID',
      `A worker on ${String(rows[0]!['place'])} is called version "${member.version}" and has other agents, or the same with other tools, instructions or limits (${namesOf(differing)}). Give this deployment another \`version\` (\`mandate worker --deployment <name>\`).`,
    )
  }

  /** Takes the lock that shows that this process is alive, on a separate connection. It is called again after the connection is lost. */
  async #hold(): Promise<void> {
    const { link, id } = this.#parts
    const connection: { client?: Client; isGone: boolean } = { isGone: false }
    // The connection can break while it is being opened and before the lock is taken.
    const client = await link.connect(() => {
      connection.isGone = true
      if (this.#client !== undefined && this.#client === connection.client) this.#client = undefined
    })
    connection.client = client
    // Other workers hold this lock only while they recover the runs of a process that they take for dead.
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 7))', [id]).catch((error: unknown) => {
      void client.end().catch(this.#fault)
      throw error
    })
    if (!connection.isGone) this.#client = client
  }

  #beat(): void {
    this.#stopTimer = systemClock.timer(BEAT_MS, () => {
      this.#beating = this.#look()
        .catch(this.#fault)
        .then(() => {
          if (!this.#isStopped) this.#beat()
        })
    })
  }

  async #look(): Promise<void> {
    if (this.#client === undefined) await this.#hold()
    await this.#say()
    const { link, id, frozenMs } = this.#parts
    const sql = `SELECT id, owner, extract(epoch FROM now() - seen_at) * 1000 > $2 AS frozen
      FROM ${link.table('workers')} WHERE id <> $1 AND seen_at < now() - $3 * interval '1 ms'`
    const { rows } = await link.query(sql, [id, frozenMs, SILENT_MS])
    for (const row of rows) {
      const other = { id: row['id'] as string, owner: row['owner'] as string }
      if (row['frozen'] === true) await this.#recover(link, other)
      else if (await this.#tryDead(other)) this.#parts.onGone?.()
    }
  }

  /** Recovers a worker whose lock is free because its process has ended. The lock is held during recovery, so that only one worker recovers it. */
  async #tryDead(other: { readonly id: string; readonly owner: string }): Promise<boolean> {
    const { link } = this.#parts
    return link.transaction(async (session) => {
      const { rows } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS free', [
        other.id,
      ])
      if (rows[0]!['free'] !== true) return false
      // The row is deleted only after a pass has found nothing left, so that an interrupted recovery is repeated.
      if ((await this.#recover(session, other)) > 0) return false
      await session.query(`DELETE FROM ${link.table('workers')} WHERE id = $1`, [other.id])
      return true
    })
  }

  /** Releases the leases and segments of a dead or frozen worker, so that others can drive its runs. */
  async #recover(session: Session, other: { readonly id: string; readonly owner: string }): Promise<number> {
    const { host, claims } = this.#parts
    await host.journal.releaseOwner?.(other.owner)
    return (await claims?.giveBack(session, other.id)) ?? 0
  }

  async #say(session: Session = this.#parts.link): Promise<void> {
    const { link, running, engine } = this.#parts
    const { id, owner, place, version, protocol, minds, queues, configured, concurrency, address } = this.#member
    const sql = `INSERT INTO ${link.table('workers')} AS w
        (id, owner, place, version, protocol, minds, queues, configured, concurrency, running, state, engine, address)
      VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8::jsonb, $9, $10, $11, $12, $13)
      ON CONFLICT (id) DO UPDATE SET running = excluded.running, state = excluded.state, minds = excluded.minds, seen_at = now()`
    const lists = [minds, queues, configured].map((list) => JSON.stringify(list))
    const now = [concurrency, running(), this.#state, engine, address ?? null]
    await session.query(sql, [id, owner, place, version, protocol, ...lists, ...now])
  }
}

const NAMED = 5

function namesOf(minds: readonly string[]): string {
  return minds.length <= NAMED
    ? minds.join(', ')
    : `${minds.slice(0, NAMED).join(', ')} and ${minds.length - NAMED} more`
}
