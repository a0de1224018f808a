import { MandateError, delay, sha256, systemClock } from '../../core/index.ts'
import { newClient } from './driver.ts'
import type { RedisClient } from './driver.ts'
import type { LinkOptions } from './options.ts'
import { isLost, storeError } from './store-errors.ts'

export type Reply = string | number | null | readonly Reply[]

const PAUSE_MAX_MS = 1_000

/** The connection to one Redis server, made on demand and again after it was lost. Every command must be safe to execute twice. */
export class RedisLink {
  readonly options: LinkOptions
  readonly #loaded = new Map<string, Promise<string>>()
  #client: Promise<RedisClient> | undefined
  #pending = 0
  #wasUp = false
  #isClosed = false

  constructor(options: LinkOptions) {
    this.options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** A key of this store. */
  key(...parts: readonly string[]): string {
    return [this.options.prefix, ...parts].join(':')
  }

  /** Executes one command. Sent again if its reply was lost. */
  ask(...args: readonly string[]): Promise<Reply> {
    return this.insist((client) => this.#send(client, args))
  }

  /** Executes several independent commands in one round trip. */
  askAll(commands: readonly (readonly string[])[]): Promise<readonly Reply[]> {
    return this.insist((client) => Promise.all(commands.map((args) => this.#send(client, args))))
  }

  /** Executes a script. Its text is sent only to a server that does not have it cached. */
  run(text: string, args: readonly string[]): Promise<Reply> {
    return this.insist((client, isRepeat) => this.#run(client, text, [...args, isRepeat ? '1' : '']))
  }

  async insist<T>(attempt: (client: RedisClient, isRepeat: boolean) => Promise<T>): Promise<T> {
    const until = systemClock.now() + this.options.patienceMs
    for (let tries = 0; ; tries++) {
      if (this.#isClosed) throw closed()
      let client: RedisClient | undefined
      try {
        client = await this.#open()
        const result = await this.#holding(client, attempt(client, tries > 0))
        this.#wasUp = true
        return result
      } catch (error) {
        // A server that was never reached is more often a wrong URL than one that is about to start.
        const isWorthIt = isLost(error) && this.#wasUp && systemClock.now() < until
        if (isLost(error)) this.#drop(client)
        if (!isWorthIt) throw storeError(error, this.options.name)
      }
      await delay(systemClock, Math.min(10 * 2 ** tries, PAUSE_MAX_MS))
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const client = await this.#client?.catch(() => undefined)
    this.#client = undefined
    await client?.close().catch(() => client.destroy())
  }

  #open(): Promise<RedisClient> {
    this.#client ??= this.#connect().catch((error: unknown) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #connect(): Promise<RedisClient> {
    const { url, connectTimeoutMs } = this.options
    const client = await newClient({ url, connectTimeoutMs })
    client.on('error', () => {})
    await client.connect()
    this.#loaded.clear()
    return client
  }

  #drop(client: RedisClient | undefined): void {
    if (client === undefined) return
    this.#client = undefined
    try {
      client.destroy()
    } catch {
      // It is closed already.
    }
  }

  /** Keeps the process running while a reply is pending; an idle connection does not. */
  async #holding<T>(client: RedisClient, work: Promise<T>): Promise<T> {
    if (this.#pending++ === 0) client.ref()
    try {
      return await work
    } finally {
      if (--this.#pending === 0) client.unref()
    }
  }

  async #send(client: RedisClient, args: readonly string[]): Promise<Reply> {
    const { commandTimeoutMs } = this.options
    const late = Promise.withResolvers<never>()
    const stop = systemClock.timer(commandTimeoutMs, () =>
      late.reject(new Error(`${args[0]} took longer than ${commandTimeoutMs} ms`)),
    )
    try {
      return (await Promise.race([client.sendCommand(args), late.promise])) as Reply
    } finally {
      stop()
    }
  }

  async #run(client: RedisClient, text: string, args: readonly string[]): Promise<Reply> {
    const known = this.#loaded.get(text)
    const loading = known ?? this.#send(client, ['SCRIPT', 'LOAD', text]).then(String)
    this.#loaded.set(text, loading)
    try {
      return await this.#send(client, ['EVALSHA', await loading, '0', ...args])
    } catch (error) {
      this.#loaded.delete(text)
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return this.#send(client, ['EVAL', text, '0', ...args])
    }
  }
}

/** The error of every call after `close`. */
export function closed(): MandateError {
  return new MandateError('CLOSED', 'This Redis store is closed. Open it again.')
}

/** A unique key of a place with a fixed length. */
export function hashOf(...parts: readonly string[]): string {
  return sha256(JSON.stringify(parts)).slice(0, 32)
}
