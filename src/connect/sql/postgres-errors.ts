import { MandateError, messageOf } from '../../core/index.ts'
import { badStatement, notPermitted, oneStatement, onlyReads, tookTooLong } from './sql-errors.ts'

/** The prefix of a query: after it PostgreSQL's grammar allows one SELECT and nothing else. */
export const CURSOR = 'DECLARE mandate_cursor NO SCROLL CURSOR FOR '

interface ServerError {
  readonly code?: unknown
  readonly position?: unknown
  readonly hint?: unknown
}

const CANCELLED = '57014'
const READ_ONLY = '25006'
const SYNTAX = '42601'
const PRIVILEGE = '42501'

/** Whether the server itself refused; anything else is a connection error, after which it is unknown whether the statement is valid. */
export function isAnswer(error: unknown): boolean {
  const { code } = error as ServerError
  if (MandateError.isInstance(error)) return true
  // 08P01 is the server's code for a wrong number of parameters.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/u.test(code) && !/^(?:08(?!P01)|57P)/u.test(code)
}

/** The error of a connection that was lost during a write. */
export function inDoubt(error: unknown): MandateError {
  return new MandateError(
    'CONNECTOR_FAILED',
    `The connection to the database broke (${messageOf(error)}), and whether the rows were written is not known. Look before you try again.`,
    { cause: error, info: { retriable: false } },
  )
}

/** The error of the server or the connection, for the author of the statement. */
export function postgresError(error: unknown, timeoutMs: number): MandateError {
  if (MandateError.isInstance(error)) return error
  const { code, position, hint } = error as ServerError
  const said = messageOf(error)
  if (!isAnswer(error))
    return new MandateError('CONNECTOR_FAILED', `The database cannot be used: ${said}.`, {
      cause: error,
      info: { retriable: mayRetry(error) },
    })
  if (code === CANCELLED) return tookTooLong(timeoutMs)
  if (code === READ_ONLY) return onlyReads(said)
  if (code === PRIVILEGE) return notPermitted(said)
  if (code === SYNTAX && said.includes('multiple commands')) return oneStatement()
  const at = Number(position) - CURSOR.length
  // The first word does not begin a query.
  if (code === SYNTAX && at === 1) return onlyReads(said)
  if (code === '0A000' || /data-modifying|INTO/u.test(said)) return onlyReads(said)
  const where = Number.isFinite(at) && at > 0 ? ` (at character ${at})` : ''
  return badStatement(`${said}${where}`, typeof hint === 'string' ? hint : undefined)
}

/** Whether a retry may succeed: the connection failed, not the statement. */
export function mayRetry(error: unknown): boolean {
  const { code } = error as ServerError
  return typeof code !== 'string' || !/^(?:28|3D|42)/u.test(code)
}
