import { MandateError } from '../core/index.ts'
import { isChecked } from './checks.ts'
import type { KvStore, KvWrite } from './kv-store.ts'

interface KvLimits {
  readonly maxEntries: number
  /** Characters of all keys and values as JSON. */
  readonly maxTotalLength: number
}

/** After this many writes the store is counted again, since others may write to it. */
const RECOUNT_AFTER = 256

/** Wraps a store with a quota. Writes are serialized, so that two concurrent ones cannot both take the last place. */
export function limited(store: KvStore, limits: KvLimits): KvStore {
  let used: { entries: number; length: number } | undefined
  let writes = 0
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work)
    last = turn.catch(() => {})
    return turn
  }
  const count = async (): Promise<{ entries: number; length: number }> => {
    writes = 0
    return (used = await store.usage())
  }
  const set = async (key: string, write: KvWrite): Promise<boolean> => {
    const before = await store.get(key)
    const more = {
      entries: before === undefined ? 1 : 0,
      length: lengthOf(key, write.value) - (before === undefined ? 0 : lengthOf(key, before.value)),
    }
    const fits = ({ entries, length }: { entries: number; length: number }): boolean =>
      entries + more.entries <= limits.maxEntries && length + more.length <= limits.maxTotalLength
    const isGrowing = more.entries > 0 || more.length > 0
    let now = used === undefined || writes++ >= RECOUNT_AFTER ? await count() : used
    // Deleted and expired values free space.
    if (isGrowing && !fits(now)) now = await count()
    if (isGrowing && !fits(now) && isChecked('kv.quota')) throw full(limits)
    if (!(await store.set(key, write))) return false
    used = { entries: now.entries + more.entries, length: now.length + more.length }
    return true
  }
  return {
    ...store,
    set: (key, write) => inTurn(() => set(key, write)),
    delete: (key) =>
      inTurn(async () => {
        used = undefined
        return store.delete(key)
      }),
  }
}

function lengthOf(key: string, value: unknown): number {
  return key.length + JSON.stringify(value).length
}

function full({ maxEntries, maxTotalLength }: KvLimits): MandateError {
  return new MandateError(
    'LIMIT_EXCEEDED',
    `There is no room: at most ${maxEntries} keys, and ${maxTotalLength} characters in all, are stored. Delete some, or raise \`maxEntries\` or \`maxTotalLength\`.`,
  )
}
