import { missingPackage } from '../../core/index.ts'

/** What is used of a client of the package `@redis/client`. */
export interface RedisClient {
  readonly isReady: boolean
  on(event: string, listener: (error: unknown) => void): unknown
  connect(): Promise<unknown>
  sendCommand(args: readonly (string | Buffer)[]): Promise<unknown>
  close(): Promise<unknown>
  destroy(): void
  ref(): void
  unref(): void
}

/** What a client is told. */
interface ClientOptions {
  readonly url: string
  readonly connectTimeoutMs: number
}

/** Loads the driver and makes a client that is not connected yet. Who never speaks to Redis need not have the package. */
export async function newClient({ url, connectTimeoutMs }: ClientOptions): Promise<RedisClient> {
  try {
    const { createClient } = await import('@redis/client')
    return createClient({
      url,
      RESP: 2,
      // When to try again is decided by the link, together with what was under way.
      socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
      disableOfflineQueue: true,
    })
  } catch (cause) {
    throw missingPackage(cause, '@redis/client', 'A Redis store')
  }
}
