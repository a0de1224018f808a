import { canonical, sha256 } from '../../../core/index.ts'
import type { EffectLabels, Json, Outcome } from '../../../core/index.ts'
import type { VmRequest } from '../../port.ts'
import type { EffectHost } from '../session.ts'

const ENTRIES_MAX = 1_000
const BYTES_MAX = 8 * 1024 * 1024

/** Bounded in-memory results of `memoize` blocks; evicted results are recomputed. */
class Memo {
  readonly #values = new Map<string, Json>()
  #bytes = 0

  get(key: Json): Json {
    const value = this.#values.get(canonical(key))
    return value === undefined ? { hit: false } : { hit: true, value }
  }

  set(key: Json, value: Json): void {
    const name = canonical(key)
    const bytes = name.length + canonical(value).length
    if (this.#values.has(name) || this.#values.size >= ENTRIES_MAX || this.#bytes + bytes > BYTES_MAX) return
    this.#bytes += bytes
    this.#values.set(name, value)
  }
}

/** The store key of a cached value: a hash of the canonical key. */
function cacheKey(key: Json): string {
  return `cache:${sha256(canonical(key))}`
}

/** A cached value with its expiry time. */
interface Cached {
  readonly val: Json
  readonly until: number
}

/** The value of a cache entry, if it is valid and not expired. */
function freshValue(found: unknown, now: number): Json {
  const cached = found as Cached | null
  const isFresh =
    typeof cached === 'object' && cached !== null && typeof cached.until === 'number' && cached.until > now
  return isFresh ? { hit: true, value: cached.val ?? null } : { hit: false }
}

/** Serves `memoize` from memory and `cache` from the store. */
export class BlockCache {
  readonly #memo = new Memo()

  async recall(
    { name, input }: VmRequest,
    { host, signal }: { readonly host: EffectHost; readonly signal: AbortSignal },
    labels?: EffectLabels,
  ): Promise<Outcome> {
    const { key, value, ttlMs } = input as { readonly key: Json; readonly value?: Json; readonly ttlMs?: number }
    switch (name) {
      case 'memoGet':
        return { status: 'ok', value: this.#memo.get(key) }
      case 'memoSet':
        this.#memo.set(key, value ?? null)
        return { status: 'ok', value: null }
      case 'cacheGet': {
        const found = await host.storeGet(cacheKey(key), signal, labels)
        return found.status === 'ok' ? { status: 'ok', value: freshValue(found.value, host.now()) } : found
      }
      default: {
        const until = host.now() + Math.max(0, Number(ttlMs))
        return host.storeSet({ key: cacheKey(key), value: { val: value ?? null, until } }, signal, labels)
      }
    }
  }
}
