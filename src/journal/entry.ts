import { MandateError, canonical, notes, sha256 } from '../core/index.ts'
import type { EntryDataByType } from './entry-data.ts'

/** The entry version of this build. Older entries are upcast when they are read; newer ones are refused. */
export const ENTRY_VERSION = 1

export const ENTRY_TYPES = [
  'run-start',
  'run-suspend',
  'run-resume',
  'run-end',
  'effect-decide',
  'effect-start',
  'effect-end',
  'effect-retry',
  'approval-request',
  'approval-response',
  'message-append',
  'note',
] as const

/** One of the twelve types of journal entries. */
export type EntryType = (typeof ENTRY_TYPES)[number]

/** The members of every entry, with or without its data. */
interface EntryFrame<T extends EntryType> {
  readonly v: number
  readonly run: string
  /** Starts at 1, without gaps. */
  readonly seq: number
  /** Milliseconds since 1970; never less than in the previous entry, even if the clock was set back. */
  readonly at: number
  readonly type: T
  /** The effect, strategy or message to which it belongs. */
  readonly key?: string | undefined
  /** SHA-256 of salt and canonical data. */
  readonly dataHash: string
  /** The hash of the previous entry. */
  readonly prev: string
  readonly hash: string
}

interface TypedEntry<T extends EntryType> extends EntryFrame<T> {
  readonly salt: string
  readonly data: EntryDataByType[T]
}

/** An entry whose data was erased by retention. Its place in the chain can still be verified. */
export interface ErasedEntry<T extends EntryType = EntryType> extends EntryFrame<T> {
  readonly salt: null
  readonly data: null
}

/** An entry with its data, as a union by `type`. */
export type IntactEntry<T extends EntryType = EntryType> = { [K in T]: TypedEntry<K> }[T]

/**
 * One record of a run: `type` and `isErased` determine the type of `data`. `hash` covers everything except `salt` and `data`, which are covered by
 * `dataHash`: they can be encrypted or erased without breaking the chain.
 */
export type Entry<T extends EntryType = EntryType> = IntactEntry<T> | ErasedEntry<T>

/** The end of a chain, which the next entry must follow. */
export interface Head {
  /** The number of the last entry. */
  readonly seq: number
  /** Its hash, which covers all entries before it. */
  readonly hash: string
  /** When it was written, in milliseconds since 1970. */
  readonly at: number
}

/** The head of a run that has no entries yet. */
export const GENESIS: Head = Object.freeze({ seq: 0, hash: '0'.repeat(64), at: 0 })

interface TypedDraft<T extends EntryType> {
  readonly type: T
  readonly key?: string | undefined
  readonly data: EntryDataByType[T]
  readonly at: number
}

/** The contents of an entry, before it is added to a chain. */
export type Draft<T extends EntryType = EntryType> = { [K in T]: TypedDraft<K> }[T]

/**
 * The text of data that was sealed or read in this process, in its own order of keys: what stores write. Cached, so that later mutations of the object
 * do not change what is stored. A copy of an entry is not cached and is verified in full.
 */
const texts = notes<string>()

/** Creates the next entry of a chain. `data` must already be redacted: it is stored exactly as it is sealed. */
export function sealEntry<T extends EntryType>(run: string, head: Head, draft: Draft<T>, salt: string): IntactEntry<T> {
  const { type, key, data } = draft
  const entry = {
    v: ENTRY_VERSION,
    run,
    seq: head.seq + 1,
    at: Math.max(draft.at, head.at),
    type,
    key,
    dataHash: sha256(salt + canonical(data)),
    prev: head.hash,
    hash: '',
    salt,
    data,
  }
  entry.hash = hashBody(entry)
  texts.set(entry, JSON.stringify(data))
  return entry
}

/** The text of an entry's data, with its keys in the order in which they were given: what the run saw is what it sees after it was read. */
export function dataText(entry: Entry): string {
  return texts.get(entry) ?? JSON.stringify(entry.data)
}

/** Whether this process sealed or read the entry itself: then its text is known, and only its place has to be checked. */
function isOwnEntry(entry: Entry): boolean {
  return texts.get(entry) !== undefined
}

/** Rebuilds an entry from a store: its members without data, and the text of the data. Invalid JSON stays a string, which cannot match its hash. */
export function restoreEntry(stored: Omit<Entry, 'data'>, text: string | null): Entry {
  // The shape of the data is checked by `verify`, not here.
  const entry = { ...stored, data: text === null ? null : parsed(text) } as Entry
  if (text !== null) texts.set(entry, text)
  return entry
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

type Body = Omit<Entry, 'hash' | 'salt' | 'data'>

function hashBody({ at, dataHash, key, prev, run, seq, type, v }: Body): string {
  return sha256(canonical({ at, dataHash, key, prev, run, seq, type, v }))
}

/** The head of a chain that ends with this entry. */
export function headOf(entry: Pick<Entry, 'seq' | 'hash' | 'at'>): Head {
  return { seq: entry.seq, hash: entry.hash, at: entry.at }
}

/**
 * Whether the data of the entry was erased by retention.
 *
 * @example
 * ```ts
 * import { isErased, memoryJournal, tail } from 'mandate/journal'
 * for await (const entry of tail(memoryJournal(), 'run_1', { signal: AbortSignal.timeout(10) })) {
 *   if (entry.type === 'run-start' && !isErased(entry)) console.log(entry.data.name)
 * }
 * ```
 */
export function isErased(entry: Entry): entry is ErasedEntry {
  return entry.salt === null
}

/**
 * The entries of one type whose data is not erased.
 *
 * @example
 * ```ts
 * import { entriesOfType, memoryJournal, readAll } from 'mandate/journal'
 * const ends = entriesOfType(await readAll(memoryJournal(), 'run_1'), 'effect-end')
 * console.log(ends.map(({ data }) => data.outcome.status))
 * ```
 */
export function entriesOfType<T extends EntryType>(entries: Iterable<Entry>, type: T): IntactEntry<T>[] {
  return [...entries].filter((entry) => entry.type === type && !isErased(entry)) as IntactEntry<T>[]
}

/** Throws unless the entry is exactly the one that follows `head`. The message names the damaged entry; nothing is repaired. */
export function checkEntry(entry: Entry, head: Head, run: string): void {
  const wrong = findDamage(entry, head, run)
  if (wrong === undefined) return
  throw new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${head.seq + 1}: ${wrong}. Everything before it is intact. ${restoreAdvice('the rest', head.seq)}`,
    { info: { run, seq: head.seq + 1, wrong } },
  )
}

/** The same for an entry that this process has just sealed: only its place can be wrong. */
export function checkPlace(entry: Entry, head: Head, run: string): void {
  if (!isOwnEntry(entry) || findMisplaced(entry, head, run) !== undefined) checkEntry(entry, head, run)
}

/** What can be done about a run that is damaged behind an entry: a fork needs at least the first one. */
export function restoreAdvice(what: string, seq: number): string {
  return seq > 0
    ? `Restore ${what} from a backup or fork the run at ${seq}.`
    : `Restore ${what} from a backup; there is nothing before it that the run could be forked from.`
}

function findMisplaced(entry: Entry, head: Head, run: string): string | undefined {
  if (entry.run !== run) return `it belongs to run "${entry.run}"`
  if (entry.seq !== head.seq + 1) return `its number is ${entry.seq}`
  return entry.prev === head.hash ? undefined : 'it does not follow the entry before it'
}

function findDamage(entry: Entry, head: Head, run: string): string | undefined {
  const misplaced = findMisplaced(entry, head, run)
  if (misplaced !== undefined) return misplaced
  if (entry.hash !== hashBody(entry)) return 'its hash does not match its content'
  // Erasure deletes both; data without its salt cannot be verified by the hash.
  if (entry.salt === null && entry.data !== null) return 'its data is there without the salt that proves it'
  return entry.salt === null || isIntact(entry, entry.salt) ? undefined : 'its data does not match its data hash'
}

/** Whether data is what was sealed, written as it was written: only the order of its keys is its own. */
function isIntact(entry: Entry, salt: string): boolean {
  try {
    const text = canonical(entry.data)
    const stored = texts.get(entry) ?? text
    return entry.dataHash === sha256(salt + text) && (stored === text || stored === JSON.stringify(entry.data))
  } catch {
    // What cannot be written as JSON, because it is nested too deeply, was not written by this runtime.
    return false
  }
}
