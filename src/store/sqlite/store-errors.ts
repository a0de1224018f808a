import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { MandateError, messageOf } from '../../core/index.ts'

/** Primary result codes of SQLite that decide what a failure means. */
const BUSY = 5
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const TOOBIG = 18
const CONSTRAINT = 19
const MISMATCH = 20
const RANGE = 25
const NOTADB = 26
/** The index of the log, which is shared between processes, could not grow. */
const IOERR_SHMSIZE = 4874

/** SQLite's primary result code of an error; `undefined` for other errors. */
function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Another process holds the lock; nothing was attempted, and the handle is still valid. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY
}

/** The file is damaged. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error)
  return code === CORRUPT || code === NOTADB
}

/** One request is at fault (a value that the table refuses, a run whose pages are damaged): the others of its transaction can continue. */
export function isRequestFault(error: unknown): boolean {
  const code = primaryCode(error)
  if (code === undefined) return true
  return code === TOOBIG || code === CONSTRAINT || code === MISMATCH || code === RANGE || code === CORRUPT
}

/** The error for a failure of the file, with its meaning and what to do. */
export function storeError(error: unknown, path: string): MandateError {
  if (MandateError.isInstance(error)) return error
  const code = primaryCode(error)
  const details = { cause: error, info: { path, sqlite: (error as { errcode?: number }).errcode ?? null } }
  const said = messageOf(error)
  if (isFull(error, path)) {
    return new MandateError(
      'DISK_FULL',
      `There is no room left for ${path} (${said}). Free some space, then resume; nothing that was acknowledged is lost.`,
      details,
    )
  }
  if (isDamage(error)) {
    return new MandateError(
      'JOURNAL_DAMAGED',
      `${path} is damaged (${said}). Nothing was changed. Restore it from a backup, or import the runs you exported into a new file.`,
      details,
    )
  }
  return new MandateError('STORE_FAILED', `${path}: ${said}. ${advice(code)}`, details)
}

function advice(code: number | undefined): string {
  switch (code) {
    case BUSY:
      return 'Another process has held the file for too long. Stop it, or raise `busyTimeoutMs`.'
    case READONLY:
      return 'The file cannot be written. Check its permissions and those of its folder.'
    case CANTOPEN:
      return 'Check that its folder exists and can be written.'
    case IOERR:
      return 'The disk reported an error. Nothing that was acknowledged is lost; check the disk, then resume.'
    case undefined:
      return 'This request was refused; the file is untouched by it.'
    default:
      return 'Nothing that was acknowledged is lost. Read the run again before you go on.'
  }
}

/** Whether the disk is full: some cases are reported as plain I/O errors, so the file system is queried. */
function isFull(error: unknown, path: string): boolean {
  const code = primaryCode(error)
  if (code === FULL || (error as { errcode?: unknown }).errcode === IOERR_SHMSIZE) return true
  if (code === undefined || code === BUSY || isDamage(error)) return false
  try {
    const { bavail, bsize } = statfsSync(dirname(path))
    return bavail * bsize < 64 * 1024
  } catch {
    return false
  }
}
