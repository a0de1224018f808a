import { hostname } from 'node:os'
import { MandateError, canonical, sha256, systemClock } from '../../core/index.ts'
import { PROTOCOL } from '../../run/index.ts'
import type { EngineHost } from '../../run/index.ts'
import type { Client, PostgresLink, Session } from '../../store/postgres/index.ts'

/** How long calls in flight may take to end in a worker that is told to end: within the 30 s that orchestrators give a process. */
export const DRAIN_MS = 20_000
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
  /** As `kind/name`, with a hash of what each pins. */
  readonly minds: Readonly<Record<string, string>>
  readonly queues: readonly string[]
  readonly configured: readonly string[]
  readonly concurrency: number
  readonly address: string | undefined
}

/** The segments that an engine has noted down for a worker. One whose server keeps that to itself has none. */
export interface Claims {
  count(session: Session, worker: string): Promise<number>
  /** Has those of a dead worker driven by others, and says how many they were. */
  giveBack(session: Session, worker: string): Promise<number>
}

interface Parts {
  readonly host: EngineHost
  readonly link: PostgresLink
  readonly id: string
  readonly engine: 'dbos' | 'restate'
  /** What the deployment is called; made from its minds and what they pin when empty. */
  readonly version: string
  /** The queues it takes from. */
  readonly queues: readonly string[]
  /** The queues that its configuration names. */
  readonly configured: readonly string[]
  readonly concurrency: number
  readonly frozenMs: number
  readonly running: () => number
  readonly claims?: Claims | undefined
  /** Where segments are handed to it; absent where it takes them itself. */
  readonly address?: string | undefined
  /** Called when a worker that ended was taken over. */
  readonly onGone?: (() => void) | undefined
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
        // One after the other: of two that come at once, the second sees the first.
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

  /** Says that this worker takes nothing more. */
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
      // One that could not hand everything over is left to the others.
      const left = this.#isMember ? ((await claims?.count(link, id)) ?? 0) : undefined
      this.#isMember = false
      if (left === 0) await link.query(`DELETE FROM ${link.table('workers')} WHERE id = $1`, [id])
    } catch (error) {
      this.#fault(error)
    }
    await this.#client?.end().catch(() => {})
  }

  readonly #fault = (error: unknown): void => this.#parts.host.onFault('*', error)

  /** Two deployments under one name would be taken for one by whoever looks at the list. */
  async #refuseSameName(session: Session): Promise<void> {
    const { link, frozenMs } = this.#parts
    const member = this.#member
    // One whose lock is free is gone: nobody has cleared it away yet.
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

  /** Takes the lock that says that this process lives, on a connection of its own; again after the connection was lost. */
  async #hold(): Promise<void> {
    const { link, id } = this.#parts
    const connection: { client?: Client; isGone: boolean } = { isGone: false }
    // It may end while it is being made, and before the lock is there.
    const client = await link.connect(() => {
      connection.isGone = true
      if (this.#client !== undefined && this.#client === connection.client) this.#client = undefined
    })
    connection.client = client
    // Others hold it only while they take over what they think this process has left.
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

  /** A lock that is free was held by a process that is gone. It is held while its runs are taken over, so that one worker does that. */
  async #tryDead(other: { readonly id: string; readonly owner: string }): Promise<boolean> {
    const { link } = this.#parts
    return link.transaction(async (session) => {
      const { rows } = await session.query('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7)) AS free', [
        other.id,
      ])
      if (rows[0]!['free'] !== true) return false
      // Its row goes when a pass has found nothing left: one that was cut off halfway is made again.
      if ((await this.#recover(session, other)) > 0) return false
      await session.query(`DELETE FROM ${link.table('workers')} WHERE id = $1`, [other.id])
      return true
    })
  }

  /** Others can drive its runs from now on. */
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
