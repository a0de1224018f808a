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

/** SQLite's primary code of an error, or undefined when it is not one of SQLite's. */
function primaryCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

/** Someone else holds the file; nothing was attempted, and the handle is as good as before. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY
}

/** The file says that it is not what it should be. */
export function isDamage(error: unknown): boolean {
  const code = primaryCode(error)
  return code === CORRUPT || code === NOTADB
}

/** The fault lies in one request (a value the table refuses, a run whose pages are damaged): the others of its transaction can go on. */
export function isRequestFault(error: unknown): boolean {
  const code = primaryCode(error)
  if (code === undefined) return true
  return code === TOOBIG || code === CONSTRAINT || code === MISMATCH || code === RANGE || code === CORRUPT
}

/** Says what a failure of the file means and what to do about it. */
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

/** Some ways of running out of room reach us as plain I/O errors; the disk itself knows better. */
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
