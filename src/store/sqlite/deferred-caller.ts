import { closed } from './store-thread.ts'
import type { OperationName, Operations, StoreCaller } from './protocol.ts'

/** Carries calls to a caller that has to be waited for: the keys of a file may come from far away. The first call asks for them. */
export class DeferredCaller implements StoreCaller {
  readonly #connect: () => Promise<StoreCaller>
  #opening: Promise<StoreCaller> | undefined
  #caller: StoreCaller | undefined
  #isWatching = false
  #isClosed = false

  constructor(connect: () => Promise<StoreCaller>) {
    this.#connect = connect
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  async call<Op extends OperationName>(
    op: Op,
    ...args: Parameters<Operations[Op]>
  ): Promise<ReturnType<Operations[Op]>> {
    if (this.#isClosed) throw closed()
    const caller = this.#caller ?? (await (this.#opening ??= this.#open()))
    return caller.call(op, ...args)
  }

  watch(isWatching: boolean): void {
    this.#isWatching = isWatching
    if (this.#caller !== undefined) this.#caller.watch(isWatching)
    else if (isWatching) (this.#opening ??= this.#open()).catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const caller = this.#caller ?? (await this.#opening?.catch(() => undefined))
    await caller?.close()
  }

  async #open(): Promise<StoreCaller> {
    try {
      this.#caller = await this.#connect()
    } catch (error) {
      // Asked for again by the next call: where keys come from may be down for a moment.
      this.#opening = undefined
      throw error
    }
    if (this.#isWatching) this.#caller.watch(true)
    return this.#caller
  }
}
