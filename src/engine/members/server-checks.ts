import { MandateError, messageOf } from '../../core/index.ts'
import type { Client, PostgresLink } from '../../store/postgres/index.ts'

/** The oldest server version with the features that the journal and DBOS need. */
const SERVER_MIN = 130_000

/** Rejects a server that is too old. */
export async function checkServer(link: Pick<PostgresLink, 'query' | 'options'>): Promise<void> {
  const { rows } = await link.query(`SELECT current_setting('server_version_num')::int AS number, version() AS name`)
  if (Number(rows[0]!['number']) >= SERVER_MIN) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `${link.options.name} is ${String(rows[0]!['name']).split(' on ')[0]}; workers need Postgres 13 or later. Upgrade the server.`,
  )
}

/**
 * Rejects a connection pooler that shares server connections between clients: advisory locks and notifications are bound to a connection. Without such a pooler
 * two open connections have two server processes, and a connection keeps its process while the other is in a transaction.
 */
export async function refusePooler(link: Pick<PostgresLink, 'connect' | 'options'>): Promise<void> {
  const connections: Client[] = []
  try {
    for (const _ of [1, 2]) connections.push(await link.connect(() => {}))
    const [one, other] = connections as [Client, Client]
    const first = await pidOf(one)
    await other.query('BEGIN')
    if ((await pidOf(other)) !== first && (await pidOf(one)) === first) return
  } catch (error) {
    throw MandateError.isInstance(error) ? error : new MandateError('STORE_FAILED', messageOf(error), { cause: error })
  } finally {
    for (const connection of connections) void connection.end().catch(() => {})
  }
  throw new MandateError(
    'CONFIG_INVALID',
    `A pooler in transaction mode is between here and ${link.options.name}: workers need connections of their own. Give the address of the server itself, or a pool in session mode.`,
  )
}

async function pidOf(connection: Client): Promise<number> {
  return (await connection.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid
}
