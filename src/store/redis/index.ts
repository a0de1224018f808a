export { keyRing, keyRingFromEnvironment, keyRingFromFile } from '../encryption/index.ts'
export type { RedisOptions } from './options.ts'
export { redisCounters } from './redis-counters.ts'
export { redisData } from './redis-data.ts'
