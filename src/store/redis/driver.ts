import type * as Library from '@redis/client'
import { loadPackage } from '../../core/index.ts'

/** The used part of a client of the package `@redis/client`. */
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

/** Options of a client. */
interface ClientOptions {
  readonly url: string
  readonly connectTimeoutMs: number
}

/** Loads the driver and creates a client that is not connected yet. Without Redis the package need not be installed. */
export async function newClient({ url, connectTimeoutMs }: ClientOptions): Promise<RedisClient> {
  const { createClient } = await loadPackage<typeof Library>('@redis/client', 'A Redis store')
  return createClient({
    url,
    RESP: 2,
    // The link decides when to reconnect, together with its pending commands.
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
    disableOfflineQueue: true,
  })
}
