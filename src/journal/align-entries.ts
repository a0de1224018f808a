import { isRecord } from '../core/index.ts'
import type { Entry } from './entry.ts'

/** The members of an entry that are compared. */
type Compared = Pick<Entry, 'seq' | 'type' | 'key'> & { readonly data: unknown }

/** Two corresponding entries, or one without a counterpart. */
export interface EntryPair<E extends Compared = Entry> {
  readonly kind: 'same' | 'changed' | 'only-a' | 'only-b'
  readonly a?: E | undefined
  readonly b?: E | undefined
}

/** The kernel's members that two equal entries may differ in: times, durations and ids. */
const IGNORED = new Set([
  'durationMs',
  'activeMs',
  'at',
  'wakeAt',
  'expiresAt',
  'sessionId',
  'forkOf',
  'epoch',
  'run',
  'approvalId',
])

/** Members that hold data of users, models and tools: a member `at` or `run` inside them is theirs, and is compared. */
const PAYLOADS = new Set(['input', 'output', 'value', 'edit', 'message', 'intent', 'pins', 'meta'])

/** A seed that the kernel generated. The seed of a deterministic run was chosen by its caller, and is compared. */
const DRAWN_SEED = /^[0-9a-f]{16}$/u

/** Aligns the entries of two runs by their types and keys: entries of both, entries that differ, and entries of one alone. */
export function alignEntries<E extends Compared>(a: readonly E[], b: readonly E[]): readonly EntryPair<E>[] {
  const twins = twinsOf(a, b)
  const paired = new Set(twins.values())
  const alone = b.filter((entry) => !paired.has(entry))
  const pairs: EntryPair<E>[] = []
  let next = 0
  for (const entry of a) {
    const twin = twins.get(entry)
    if (twin === undefined) {
      pairs.push({ kind: 'only-a', a: entry })
      continue
    }
    for (; next < alone.length && alone[next]!.seq < twin.seq; next += 1) pairs.push({ kind: 'only-b', b: alone[next] })
    pairs.push({ kind: essence(entry) === essence(twin) ? 'same' : 'changed', a: entry, b: twin })
  }
  return [...pairs, ...alone.slice(next).map((entry) => ({ kind: 'only-b' as const, b: entry }))]
}

/** The counterpart of each entry of the first run: repeated types and keys are matched in order. */
function twinsOf<E extends Compared>(a: readonly E[], b: readonly E[]): ReadonlyMap<E, E> {
  const place = ({ type, key = '' }: E): string => `${type} ${key}`
  const waiting = Map.groupBy(b, place)
  const twins = new Map<E, E>()
  for (const entry of a) {
    const twin = waiting.get(place(entry))?.shift()
    if (twin !== undefined) twins.set(entry, twin)
  }
  return twins
}

function essence({ type, key, data }: Compared): string {
  return JSON.stringify([type, key, comparable(data)])
}

/** The data of an entry without the members that are not compared. */
function comparable(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(comparable)
  if (!isRecord(data)) return data
  const kept = Object.entries(data).filter(([name, value]) => !isIgnored(name, value))
  return Object.fromEntries(kept.map(([name, value]) => [name, PAYLOADS.has(name) ? value : comparable(value)]))
}

function isIgnored(name: string, value: unknown): boolean {
  return IGNORED.has(name) || (name === 'seed' && typeof value === 'string' && DRAWN_SEED.test(value))
}

/** A longer sequence of equal pairs is folded into one line. */
const SAME_SHOWN = 3

/** Pairs for display: of a long sequence of equal ones only the first remains, with the number of others. */
export function foldSame<P extends Pick<EntryPair, 'kind'>>(
  pairs: readonly P[],
): readonly { readonly pair: P; readonly index: number; readonly more: number }[] {
  const shown: { pair: P; index: number; more: number }[] = []
  for (let index = 0; index < pairs.length; index += 1) {
    const pair = pairs[index]!
    let end = index
    while (pairs[end]?.kind === 'same') end += 1
    const isLong = end - index > SAME_SHOWN
    shown.push({ pair, index, more: isLong ? end - index - 1 : 0 })
    if (isLong) index = end - 1
  }
  return shown
}
