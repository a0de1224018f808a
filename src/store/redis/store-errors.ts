import { MandateError, messageOf } from '../../core/index.ts'
import { LOST_CODES } from '../lost-codes.ts'

/** The driver's error names for a lost connection. */
const LOST_NAMES = new Set([
  'SocketClosedUnexpectedlyError',
  'ClientClosedError',
  'ClientOfflineError',
  'DisconnectsClientError',
  'ConnectionTimeoutError',
  'SocketTimeoutError',
  'ReconnectStrategyError',
])
/** The server's error words while it starts, fails over, or is a replica. */
const LOST_WORDS = /^(?:LOADING|MASTERDOWN|READONLY|TRYAGAIN|BUSY) |Socket closed|took longer than/u

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** The connection is lost, or the server is not ready: it is unknown whether the command was executed. */
export function isLost(error: unknown): boolean {
  if (MandateError.isInstance(error)) return false
  const name = (error as { constructor?: { name?: string } } | null)?.constructor?.name ?? ''
  return LOST_CODES.includes(codeOf(error)) || LOST_NAMES.has(name) || LOST_WORDS.test(messageOf(error))
}

/** The error for a failure, with its meaning and what to do. The server is named without its password. */
export function storeError(error: unknown, name: string): MandateError {
  if (MandateError.isInstance(error)) return error
  const said = messageOf(error)
  const details = { cause: error, info: { server: name } }
  if (said.startsWith('OOM ') || said.startsWith('MISCONF '))
    return new MandateError(
      'DISK_FULL',
      `${name} has no room left (${said}). Give it more, then try again; nothing that was acknowledged is lost.`,
      details,
    )
  return new MandateError(
    'STORE_FAILED',
    `${name}: ${said || 'the connection failed'}. ${advice(error, said)}`,
    details,
  )
}

function advice(error: unknown, said: string): string {
  const code = codeOf(error)
  if (code === 'ENOTFOUND') return 'There is no such host. Check the host name in the URL.'
  if (code === 'ECONNREFUSED') return 'Connection refused. Check host and port in the URL, and that the server runs.'
  if (/^(?:WRONGPASS|NOAUTH|ERR .*AUTH)/u.test(said))
    return 'The server does not let this user in. Check user and password in the URL.'
  if (said.startsWith('NOPERM')) return 'This user lacks the right. Let it use scripts, and the keys with this prefix.'
  if (/took longer than/u.test(said)) return 'Raise `commandTimeoutMs`, or find out what the server is busy with.'
  if (isLost(error)) return 'The server went away and did not come back in time. Read again before you go on.'
  return 'This request was refused; nothing was changed by it.'
}
