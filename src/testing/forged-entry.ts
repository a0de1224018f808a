import { sealEntry } from '../journal/index.ts'
import type { Entry, EntryType, Head, IntactEntry } from '../journal/index.ts'

/** The content of a forged entry. `data` need not have the form that `type` requires. */
export interface ForgedDraft {
  readonly type: EntryType
  readonly key?: string | undefined
  readonly data: unknown
  readonly at: number
}

/** Makes an entry with correct hashes and arbitrary data, as an attacker with access to a store could write it. */
export function forgeEntry(run: string, head: Head, draft: ForgedDraft, salt: string): IntactEntry {
  return sealEntry(run, head, draft as IntactEntry, salt)
}

/** Copies an entry with changed members, which its hashes do not match. */
export function tamperEntry(entry: Entry, members: { readonly [K in keyof Entry]?: unknown }): Entry {
  return { ...entry, ...members } as Entry
}
