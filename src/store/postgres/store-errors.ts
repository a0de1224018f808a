import { MandateError, messageOf } from '../../core/index.ts'
import { LOST_CODES } from '../lost-codes.ts'

/** Errors of an unreachable or stopping server: a retry may succeed. */
const LOST = new Set([
  ...LOST_CODES,
  // The session was terminated by an administrator or by the crash of another one, or the server is starting.
  '57P01',
  '57P02',
  '57P03',
  // Idle in a transaction for too long, for example because the process was frozen.
  '25P03',
  // Too many connections; a server that became a read-only replica.
  '53300',
  '25006',
])
const LOST_WORDS =
  /Connection terminated|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect|Client was closed/u

/** Serialization failure or deadlock: the transaction should be retried. */
const CONTENTION = new Set(['40001', '40P01'])

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** The connection is lost, so it is unknown whether the statement was executed. */
export function isLost(error: unknown): boolean {
  if (MandateError.isInstance(error)) return false
  const code = codeOf(error)
  return LOST.has(code) || code.startsWith('08') || LOST_WORDS.test(messageOf(error))
}

/** Nothing was done, and the same statement may be retried at once. */
export function isContention(error: unknown): boolean {
  return CONTENTION.has(codeOf(error))
}

/** The request is at fault (a value that a table refuses, or one that is too large), not the server. */
export function isRequestFault(error: unknown): boolean {
  const cause = MandateError.isInstance(error) ? error.cause : error
  return ['21', '22', '23', '54'].includes(codeOf(cause).slice(0, 2))
}

/** The schema or its tables do not exist yet. */
export function isMissing(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error))
}

/** The error for a failure, with its meaning and what to do. The server is named without its password; `wasUp` is set if it has ever answered. */
export function storeError(error: unknown, name: string, wasUp = true): MandateError {
  if (MandateError.isInstance(error)) return error
  const code = codeOf(error)
  const said = messageOf(error).replaceAll(/(?<=postgres(?:ql)?:\/\/)[^@\s/]*@/gu, '')
  const details = { cause: error, info: { server: name, postgres: code || null } }
  if (code === '53100')
    return new MandateError(
      'DISK_FULL',
      `There is no room left on the disk of ${name} (${said}). Free some space, then resume; nothing that was acknowledged is lost.`,
      details,
    )
  if (['XX001', 'XX002'].includes(code))
    return new MandateError(
      'JOURNAL_DAMAGED',
      `${name} is damaged (${said}). Nothing was changed. Restore it from a backup.`,
      details,
    )
  return new MandateError('STORE_FAILED', `${name}: ${said}. ${advice(code, error, wasUp)}`, details)
}

function advice(code: string, error: unknown, wasUp: boolean): string {
  if (code === 'ENOTFOUND') return 'There is no such host. Check the host name in the URL.'
  if (code === 'ECONNREFUSED') return 'Connection refused. Check host and port in the URL, and that the server runs.'
  if (code.startsWith('28')) return 'The server does not let this user in. Check user and password in the URL.'
  if (code === '3D000') return 'There is no such database. Create it, or name another in the URL.'
  if (code === '42501')
    return 'This user lacks the right. Grant it, such as `GRANT CREATE ON DATABASE … TO …` for the first start, or let an owner start once.'
  if (code === '42P07' || code === '42703')
    return 'The schema holds tables of another program. Give another `schema`; nothing was changed.'
  if (code === '57014')
    return 'It took longer than `statementTimeoutMs`. Raise it, or find out what the server is busy with.'
  if (code === '26000' || code === '42P05')
    return 'A pooler is between here and the server: give the address of the server itself, or `prepare: false` where the store is opened in code.'
  if (code === '53300') return 'The server has no connection left. Lower `poolSize`, or raise its `max_connections`.'
  if (/timeout exceeded when trying to connect|connection timeout/u.test(messageOf(error)))
    return 'The server did not answer in time. Check host and port in the URL, or raise `connectTimeoutMs`.'
  if (isLost(error) && !wasUp && code === '')
    return 'The connection ended before the server had answered once. Check that the URL leads to Postgres.'
  if (isLost(error)) return 'The server went away and did not come back in time. Read the run again before you go on.'
  return 'This request was refused; nothing was changed by it.'
}
