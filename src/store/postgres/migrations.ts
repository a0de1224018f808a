import { MandateError, systemRandom } from '../../core/index.ts'
import type { PostgresLink, Session } from './link.ts'
import { isMissing } from './store-errors.ts'

/** A set of tables with its own version: the journal, memory, and so on. Released steps are never edited. */
export interface Part {
  readonly name: string
  /** Each step migrates from its index to the next version. `$schema` stands for the schema. */
  readonly steps: readonly string[]
}

const STORE = `
  CREATE TABLE IF NOT EXISTS $schema.store (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE IF NOT EXISTS $schema.data_keys (
    id text PRIMARY KEY,
    host_key text NOT NULL,
    wrapped bytea NOT NULL,
    created_at double precision NOT NULL
  );
`

/** Migrates the tables of a part to the newest version, safe against concurrent migrations. Returns the id of the store, which never changes. */
export async function migrate(link: PostgresLink, part: Part): Promise<string> {
  const { version, id } = await readVersion(link, link.table('store'), part)
  if (version === part.steps.length && id !== undefined) return id
  return link.transaction(async (session) => {
    // Advisory lock, held until the end of the transaction; a concurrent process then finds the migration done.
    await session.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`mandate/${link.options.schema}`])
    const schema = `"${link.options.schema}"`
    // Checked first: creating a schema needs a privilege that the owner of an existing one may lack.
    const { rows } = await session.query('SELECT to_regnamespace($1) AS found', [schema])
    if (rows[0]?.['found'] === null) await session.query(`CREATE SCHEMA ${schema}`)
    if (id === undefined) await runSteps(session, STORE, schema)
    const found = await readVersion(session, link.table('store'), part)
    refuseNewer(link, part, found.version)
    for (const step of part.steps.slice(found.version)) await runSteps(session, step, schema)
    const sql = `INSERT INTO ${link.table('store')} (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2`
    await session.query(sql, [`${part.name} version`, String(part.steps.length)])
    if (found.id !== undefined) return found.id
    const fresh = systemRandom.hex(16)
    await session.query(sql, ['id', fresh])
    return fresh
  })
}

async function readVersion(
  session: Session,
  table: string,
  part: Part,
): Promise<{ version: number; id: string | undefined }> {
  try {
    const { rows } = await session.query(`SELECT name, value FROM ${table} WHERE name IN ('id', $1)`, [
      `${part.name} version`,
    ])
    const valueOf = (name: string): string | undefined =>
      rows.find((row) => row['name'] === name)?.['value'] as string | undefined
    return { version: Number(valueOf(`${part.name} version`) ?? 0), id: valueOf('id') }
  } catch (error) {
    const cause = MandateError.isInstance(error) ? error.cause : error
    if (isMissing(cause)) return { version: 0, id: undefined }
    throw error
  }
}

function refuseNewer({ options }: PostgresLink, { name, steps }: Part, version: number): void {
  if (version <= steps.length) return
  throw new MandateError(
    'VERSION_UNSUPPORTED',
    `The ${name} tables of ${options.name} (schema ${options.schema}) were written by a newer mandate (version ${version}; this build knows up to ${steps.length}). Upgrade mandate to open them. Nothing was changed.`,
  )
}

async function runSteps(session: Session, sql: string, schema: string): Promise<void> {
  await session.query(sql.replaceAll('$schema', schema))
}
