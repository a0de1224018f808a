import { sealEntry } from '../journal/index.ts'
import type { Entry, EntryType, Head, IntactEntry } from '../journal/index.ts'

/** What a forged entry says. `data` need not have the form that `type` asks for. */
export interface ForgedDraft {
  readonly type: EntryType
  readonly key?: string | undefined
  readonly data: unknown
  readonly at: number
}

/** An entry with correct hashes and any data: what someone can write who has access to a store, but whom no type checker holds back. */
export function forgeEntry(run: string, head: Head, draft: ForgedDraft, salt: string): IntactEntry {
  return sealEntry(run, head, draft as IntactEntry, salt)
}

/** A copy of an entry with other members, which its hashes do not match. */
export function tamperEntry(entry: Entry, members: { readonly [K in keyof Entry]?: unknown }): Entry {
  return { ...entry, ...members } as Entry
}
