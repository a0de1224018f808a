import type { LightEntry } from '../../journal/run-store.ts'

export interface Pair {
  readonly kind: 'same' | 'changed' | 'only-a' | 'only-b'
  readonly a?: LightEntry | undefined
  readonly b?: LightEntry | undefined
}

/** What two entries must agree in to be the same: not when they were, how long they took, or under which id. */
function essence({ type, key, data }: LightEntry): string {
  return JSON.stringify([type, key, data], (name, value: unknown) => (IGNORED.has(name) ? undefined : value))
}

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

/** Puts the entries of two runs side by side by their keys: what both have, what differs, what one has alone. */
export function align(a: readonly LightEntry[], b: readonly LightEntry[]): readonly Pair[] {
  const pairs: Pair[] = []
  const place = (entry: LightEntry): string => `${entry.type} ${entry.key ?? ''}`
  const waiting = new Map<string, LightEntry[]>()
  for (const entry of b) waiting.set(place(entry), [...(waiting.get(place(entry)) ?? []), entry])
  const taken = new Set<LightEntry>()
  let next = 0
  const flushTo = (limit: LightEntry | undefined): void => {
    for (; next < b.length && b[next] !== limit; next += 1)
      if (!taken.has(b[next]!) && !isLater(waiting, b[next]!, a)) pairs.push({ kind: 'only-b', b: b[next] })
  }
  for (const entry of a) {
    const twin = waiting.get(place(entry))?.shift()
    if (twin === undefined) {
      pairs.push({ kind: 'only-a', a: entry })
      continue
    }
    flushTo(twin)
    taken.add(twin)
    pairs.push({ kind: essence(entry) === essence(twin) ? 'same' : 'changed', a: entry, b: twin })
  }
  for (const entry of b)
    if (!taken.has(entry) && !pairs.some((pair) => pair.b === entry)) pairs.push({ kind: 'only-b', b: entry })
  return pairs
}

/** Whether an entry of the second run is still to be paired: then it is not one that it has alone. */
function isLater(
  waiting: ReadonlyMap<string, readonly LightEntry[]>,
  entry: LightEntry,
  a: readonly LightEntry[],
): boolean {
  const place = `${entry.type} ${entry.key ?? ''}`
  return (waiting.get(place) ?? []).includes(entry) && a.some((other) => `${other.type} ${other.key ?? ''}` === place)
}
