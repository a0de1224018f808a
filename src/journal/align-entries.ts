import type { Entry } from './entry.ts'

/** What of an entry is compared. */
type Compared = Pick<Entry, 'seq' | 'type' | 'key'> & { readonly data: unknown }

/** Two entries that stand for each other, or one that stands alone. */
export interface EntryPair<E extends Compared = Entry> {
  readonly kind: 'same' | 'changed' | 'only-a' | 'only-b'
  readonly a?: E | undefined
  readonly b?: E | undefined
}

/** What two entries need not agree in to be the same: when they were, how long they took, under which id. */
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

/** Puts the entries of two runs side by side by their types and keys: what both have, what differs, what one has alone. */
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

/** The entries of the second run that stand for those of the first: the first of a place for the first, the second for the second. */
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
  return JSON.stringify([type, key, data], (name, value: unknown) => (IGNORED.has(name) ? undefined : value))
}

/** Stretches of the same that are longer than this become one line. */
const SAME_SHOWN = 3

/** Pairs for a screen: of a long stretch of the same only the first stays, with how many more there are. */
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
