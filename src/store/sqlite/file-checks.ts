import { accessSync, closeSync, constants, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { MandateError } from '../../core/index.ts'

const MAGIC = 'SQLite format 3\u0000'

/** The file beside the database that records the heads of runs. */
export function headsPath(path: string): string {
  return `${path}.heads`
}

/** Checks the path before SQLite opens it, where SQLite's own error would be obscure. Returns whether the file exists. */
export function checkPath(path: string): boolean {
  const folder = dirname(path)
  const found = statOf(folder)
  if (found === undefined)
    throw new MandateError(
      'STORE_FAILED',
      `The folder ${folder} does not exist or cannot be entered. Create it, or give another \`path\`.`,
    )
  if (!found.isDirectory())
    throw new MandateError('STORE_FAILED', `${folder} is not a folder. Give a \`path\` inside a folder.`)
  // SQLite keeps its log in further files beside the database, so the folder itself must be writable.
  if (!mayWrite(folder))
    throw new MandateError(
      'STORE_FAILED',
      `The folder ${folder} cannot be written. Change its permissions, or give another \`path\`.`,
    )
  const file = statOf(path)
  if (file === undefined) {
    // A deleted database is a fresh start; heads recorded for the old one must not be reported as damage of the new one.
    rmSync(headsPath(path), { force: true })
    return false
  }
  if (file.isDirectory())
    throw new MandateError(
      'CONFIG_INVALID',
      `${path} is a folder. Give the path of a file in it, such as ${path}/journal.db.`,
    )
  if (!mayWrite(path))
    throw new MandateError(
      'STORE_FAILED',
      `${path} cannot be written. Change its permissions, or give another \`path\`.`,
    )
  if (file.size > 0 && readStart(path) !== MAGIC) throw notADatabase(path)
  return true
}

/** Where a database and its log lie on the disk. */
export interface FilePlaces {
  readonly file: string | undefined
  /** Absent until the first write. */
  readonly log: string | undefined
}

export function placesOf(path: string): FilePlaces {
  return { file: placeOf(path), log: placeOf(`${path}-wal`) }
}

function placeOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino}`
}

/** Throws if a file that was open is not there any more. */
export function refuseMissing(path: string): void {
  if (statOf(path) !== undefined) return
  throw new MandateError(
    'STORE_FAILED',
    `${path} is gone: it was deleted or moved while it was open, so nothing can be kept in it. Put it back where it was, or stop what uses it and start that again with another \`path\`.`,
  )
}

/** The error for a file that is not the one that was opened. */
export function replacedFile(path: string): MandateError {
  return new MandateError(
    'STORE_FAILED',
    `${path} was replaced by another file while it was open, so nothing more is kept in the first one. Stop what uses it, and start it again to use the new file.`,
  )
}

/** The error for a log that was deleted: what it had is lost unless the file is closed in order. */
export function missingLog(path: string): MandateError {
  return new MandateError(
    'STORE_FAILED',
    `${path}-wal was deleted while ${path} was open: it has what was written last. Stop what uses the file, which saves what it can, and verify the store before you go on (\`mandate doctor\`).`,
  )
}

/** The error for a SQLite file of another program. */
export function foreignDatabase(path: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `${path} is a database of another program. It was left as it is; give another \`path\`.`,
  )
}

/** The error for an empty database with recorded heads of runs: its content was lost. */
export function emptiedDatabase(path: string): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `${path} is empty, but ${headsPath(path)} remembers runs in it. Restore both from a backup, or delete both to begin anew.`,
  )
}

/** The error for a file that a later build has migrated. */
export function newerSchema(path: string, version: number, known: number): MandateError {
  return new MandateError(
    'VERSION_UNSUPPORTED',
    `${path} was written by a newer mandate (its tables have version ${version}; this build knows up to ${known}). Upgrade mandate to open it. Nothing was changed.`,
  )
}

function notADatabase(path: string): MandateError {
  const wasJournal = existsSync(headsPath(path)) || existsSync(`${path}-wal`)
  return wasJournal
    ? new MandateError(
        'JOURNAL_DAMAGED',
        `${path} is damaged: its first bytes are not those of a database. Restore it from a backup. Nothing was changed.`,
      )
    : new MandateError('CONFIG_INVALID', `${path} is not a database. It was left as it is; give another \`path\`.`)
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function readStart(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    readSync(file, bytes, 0, MAGIC.length, 0)
    return bytes.toString('latin1')
  } finally {
    closeSync(file)
  }
}
