import { MandateError, sha256 } from '../../core/index.ts'
import type { Entry } from '../entry.ts'
import type { Journal } from '../journal.ts'

/** The hashes of the files that an entry refers to. */
export function blobsOf({ data }: Entry): readonly string[] {
  return (data as { readonly blobs?: readonly string[] } | null)?.blobs ?? []
}

/** Throws if content does not match its hash. Stores read through this. */
export function checkedBlob(run: string, hash: string, bytes: Uint8Array): Uint8Array {
  if (sha256(bytes) === hash) return bytes
  throw new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" has a file whose content does not match its hash ${hash}. Restore the store from a backup.`,
    { info: { run, hash } },
  )
}

/** Reads a file that an entry of the run refers to. */
export async function namedBlob(journal: Journal, run: string, hash: string): Promise<Uint8Array> {
  const bytes = await journal.readBlob?.(run, hash)
  if (bytes !== undefined) return bytes
  throw new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" has lost a file: the content with the hash ${hash} is not in the store. Restore the store from a backup.`,
    { info: { run, hash } },
  )
}

/** The error of a store that keeps entries alone. */
export function keepsNoBlobs(run: string): MandateError {
  return new MandateError(
    'CONFIG_INVALID',
    `Run "${run}" has files that are kept beside its entries, and this journal keeps none. Use one with \`writeBlob\` and \`readBlob\`, as of SQLite, Postgres or memory.`,
  )
}

/** Copies the files that entries refer to from one run to another, of the same journal or another one. */
export async function copyBlobs(
  entries: Iterable<Entry>,
  from: { readonly journal: Journal; readonly run: string },
  to: { readonly journal: Journal; readonly run: string },
): Promise<void> {
  for (const hash of new Set([...entries].flatMap(blobsOf))) {
    if (to.journal.writeBlob === undefined) throw keepsNoBlobs(to.run)
    await to.journal.writeBlob(to.run, await namedBlob(from.journal, from.run, hash))
  }
}
