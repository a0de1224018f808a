import { MandateError } from '../../core/index.ts'
import type { PostgresClient } from './sql-over-postgres.ts'

/** Functions by which a statement could reach files, programs or other servers; whether a role may call them is queried from the server. */
const REACHING = [
  'dblink%',
  'http',
  'http\\_get%',
  'http\\_post%',
  'http\\_put%',
  'http\\_patch%',
  'http\\_delete%',
  'http\\_head%',
  'lo\\_export',
  'lo\\_import',
  'pg\\_ls\\_dir',
  'pg\\_read\\_binary\\_file',
  'pg\\_read\\_file',
  'pg\\_stat\\_file',
]

/** Throws for a driver that could send two statements, and for a role that could reach beyond the database. */
export async function checkRole(client: PostgresClient, trustRole: boolean): Promise<void> {
  await checkDriver(client)
  if (trustRole) return
  const { rows } = await client.query({
    text: `SELECT rolsuper, rolreplication,
        ARRAY(SELECT r.rolname::text FROM pg_roles r
          WHERE r.rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
            AND pg_has_role(current_user, r.oid, 'MEMBER')) AS roles,
        ARRAY(SELECT DISTINCT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
          WHERE p.proname LIKE ANY ($1) AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE')) AS functions
      FROM pg_roles WHERE rolname = current_user`,
    values: [REACHING],
  })
  const role = rows[0] as
    | { rolsuper: boolean; rolreplication: boolean; roles: string[]; functions: string[] }
    | undefined
  if (role === undefined) throw refused('its role cannot be looked up')
  if (role.rolsuper) throw refused('it is a superuser')
  if (role.rolreplication) throw refused('it may replicate')
  if (role.roles.length > 0) throw refused(`it is a member of ${role.roles.join(', ')}`)
  if (role.functions.length > 0)
    throw refused(`it may call ${role.functions.join(', ')} (REVOKE EXECUTE ON FUNCTION … FROM PUBLIC)`)
}

function refused(why: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `This role can reach past the database: ${why}. Give the connector a role of its own that may only read what agents may see, or set \`trustRole\`.`,
  )
}

/** The extended protocol refuses a second statement, so the driver must use it. */
async function checkDriver(client: PostgresClient): Promise<void> {
  try {
    await client.query({ text: 'SELECT 1; SELECT 2', values: [], queryMode: 'extended' })
  } catch (error) {
    if ((error as { code?: unknown }).code === '42601') return
    throw error
  }
  throw new MandateError(
    'CONFIG_INVALID',
    'This driver sends several statements at once, so nothing stops a second one. Use a `Pool` of pg 8.13 or later.',
  )
}
