import { checkNumbers, MandateError, systemRandom, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Journal } from '../../journal/index.ts'
import { RedisLink, closed, hashOf } from './link.ts'
import type { Reply } from './link.ts'
import { REDIS_OPTIONS, linkOptions } from './options.ts'
import type { RedisOptions } from './options.ts'

interface RedisCountersOptions extends Omit<RedisOptions, 'encryption'> {
  /** Additions older than this, relative to the newest, are deleted; none by default. Use the longest window that is queried. */
  readonly keepMs?: number | undefined
}

const { encryption: _, ...SHARED_OPTIONS } = REDIS_OPTIONS
const REDIS_COUNTERS_OPTIONS: FieldNames<RedisCountersOptions> = { ...SHARED_OPTIONS, keepMs: true }

/** Counters that outlive runs and processes. */
type RedisCounters = Pick<Journal, 'addCount' | 'sumCount'> & { close(): Promise<void> }

/** ARGV: key, from. Sums the additions since then; a member begins with its amount. */
const SUM = `
local sum = 0
for _, member in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1], ARGV[2], '+inf')) do
  sum = sum + tonumber(string.match(member, '^%S+'))
end
return string.format('%.17g', sum)`

/**
 * Counters in Redis, shared by all clients with the same prefix: rate limits across processes, for journals without shared counters.
 *
 * @example
 * ```ts
 * import { redisCounters } from 'mandate/redis'
 * const counters = redisCounters({ url: 'redis://localhost:6379', keepMs: 86_400_000 })
 * await counters.addCount('mail', 1_760_000_000_000, 1)
 * await counters.sumCount('mail', 1_759_999_940_000) // 1
 * await counters.close()
 * ```
 */
export function redisCounters(options: RedisCountersOptions): RedisCounters {
  checkNeeded(options, 'an option of `redisCounters`', REDIS_COUNTERS_OPTIONS)
  checkNumbers(options, 'an option of `redisCounters`', { keepMs: 'amount+' })
  const { keepMs } = options
  const link = new RedisLink(linkOptions(options))
  const underWay = new Set<Promise<unknown>>()
  let isClosed = false
  const use = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw closed()
    const working = work()
    underWay.add(working)
    try {
      return await working
    } finally {
      underWay.delete(working)
    }
  }
  const keyOf = (name: string): string => link.key('k', hashOf(name))
  return {
    addCount: (name, at, amount) =>
      use(async () => {
        if (!Number.isFinite(at) || !Number.isFinite(amount))
          throw new MandateError('INPUT_INVALID', 'A count needs a moment and an amount that are finite numbers.')
        // The id makes a retried addition idempotent.
        const add = ['ZADD', keyOf(name), String(at), `${amount} ${systemRandom.hex(8)}`]
        const old = ['ZREMRANGEBYSCORE', keyOf(name), '-inf', `(${at - (keepMs ?? 0)}`]
        await link.askAll(keepMs === undefined ? [add] : [add, old])
      }),
    sumCount: (name, since) => use(async () => numberOf(await link.run(SUM, [keyOf(name), boundOf(since)]))),
    close: async () => {
      isClosed = true
      await Promise.allSettled(underWay)
      await link.close()
    },
  }
}

function boundOf(since: number): string {
  if (since === Infinity) return '+inf'
  return Number.isFinite(since) ? String(since) : '-inf'
}

function numberOf(reply: Reply): number {
  return Number(reply)
}
