import { MandateError } from '../core/index.ts'
import { ENTRY_TYPES, ENTRY_VERSION } from './entry.ts'
import type { Entry, EntryType } from './entry.ts'

/** Converts the data of one entry from one version to the next; the entry's hashes remain those of the written form. */
type Upcaster = (type: EntryType, data: unknown) => unknown

/** From version n to n + 1, for every n below the current one. Empty while there is only version 1. */
const UPCASTERS: ReadonlyMap<number, Upcaster> = new Map()

/** Converts an entry to the current version, after its hashes were verified in the form in which it was written. */
export function upcast(entry: Entry): Entry {
  if (entry.v === ENTRY_VERSION) return entry
  let { v } = entry
  let data: unknown = entry.data
  for (; v < ENTRY_VERSION; v++) {
    const step = UPCASTERS.get(v)
    if (step === undefined) throw unsupported(entry, 'no step to the current version is known')
    data = step(entry.type, data)
  }
  return { ...entry, v, data } as Entry
}

/** Throws if a newer build wrote the entry. */
export function checkVersion(entry: Entry): void {
  if (!Number.isInteger(entry.v) || entry.v < 1) throw unsupported(entry, 'that is not a version')
  if (entry.v > ENTRY_VERSION)
    throw unsupported(entry, `this build reads up to ${ENTRY_VERSION}. Upgrade mandate to open it`)
  if (!ENTRY_TYPES.includes(entry.type)) throw unsupported(entry, `the type "${entry.type}" is not known to it`)
}

function unsupported(entry: Entry, why: string): MandateError {
  return new MandateError(
    'VERSION_UNSUPPORTED',
    `Entry ${entry.seq} of run "${entry.run}" has version ${entry.v}: ${why}. Nothing was changed.`,
  )
}
