// Public API of `mandate/redis`: counters and data in Redis.
export { keyRing, keyRingFromEnvironment, keyRingFromFile, redisCounters, redisData } from './index.ts'
export type { RedisOptions } from './index.ts'
