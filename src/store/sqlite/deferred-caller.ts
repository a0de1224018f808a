import type { MandateError } from '../../core/index.ts'
import type { OperationTable } from './file-thread.ts'

/** Sends calls to the thread that owns a file. */
export interface Caller<O extends OperationTable<O>> {
  readonly isClosed: boolean
  call<Op extends keyof O & string>(op: Op, ...args: Parameters<O[Op]>): Promise<ReturnType<O[Op]>>
  /** Starts or stops change notifications, if the thread has them. */
  watch?(isWatching: boolean): void
  close(): Promise<void>
}

/** Sends calls to a caller that is created asynchronously, because fetching the keys of a file may take time. The first call starts that. */
export class DeferredCaller<O extends OperationTable<O>> implements Caller<O> {
  readonly #connect: () => Promise<Caller<O>>
  readonly #closed: () => MandateError
  #opening: Promise<Caller<O>> | undefined
  #caller: Caller<O> | undefined
  #isWatching = false
  #isClosed = false

  /** `closed` creates the error of every call after `close`. */
  constructor(connect: () => Promise<Caller<O>>, closed: () => MandateError) {
    this.#connect = connect
    this.#closed = closed
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async call<Op extends keyof O & string>(op: Op, ...args: Parameters<O[Op]>): Promise<ReturnType<O[Op]>> {
    if (this.#isClosed) throw this.#closed()
    const caller = this.#caller ?? (await (this.#opening ??= this.#open()))
    return caller.call(op, ...args)
  }

  watch(isWatching: boolean): void {
    this.#isWatching = isWatching
    if (this.#caller !== undefined) this.#caller.watch?.(isWatching)
    else if (isWatching) (this.#opening ??= this.#open()).catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const caller = this.#caller ?? (await this.#opening?.catch(() => undefined))
    await caller?.close()
  }

  async #open(): Promise<Caller<O>> {
    try {
      this.#caller = await this.#connect()
    } catch (error) {
      // Retried by the next call: the source of keys may be unavailable for a moment.
      this.#opening = undefined
      throw error
    }
    if (this.#isWatching) this.#caller.watch?.(true)
    return this.#caller
  }
}
