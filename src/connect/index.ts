export { httpFetch } from './http-fetch.ts'
export type { HttpFetchOptions } from './http-fetch.ts'
export { kv } from './kv.ts'
export type { KvOptions } from './kv.ts'
