import { checkRing, readRing } from '../../encryption/index.ts'
import type { Encryption, KeyRing } from '../../encryption/index.ts'
import { FileThread } from '../file-thread.ts'
import { dataClosed } from './data-file.ts'
import { dataWorkerUrl } from './data-worker.ts'
import type { DataWorkerStart } from './data-worker.ts'
import type { DataOperations, DataOptions } from './protocol.ts'

type DataThread = FileThread<DataOperations>

/** Carries calls to the thread that owns the data. Where the keys come from far away, the first call asks for them. */
export class DataCaller {
  readonly #options: DataOptions
  readonly #encryption: Encryption | undefined
  #thread: DataThread | undefined
  #opening: Promise<DataThread> | undefined
  #isClosed = false

  constructor(options: DataOptions, encryption: Encryption | undefined) {
    this.#options = options
    this.#encryption = encryption
    if (typeof encryption !== 'function')
      this.#thread = threadFor(options, encryption === undefined ? undefined : checkRing(encryption))
  }

  async call<Op extends keyof DataOperations>(
    op: Op,
    ...args: Parameters<DataOperations[Op]>
  ): Promise<ReturnType<DataOperations[Op]>> {
    if (this.#isClosed) throw dataClosed()
    const thread = this.#thread ?? (await (this.#opening ??= this.#open()))
    return thread.call(op, ...args)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const thread = this.#thread ?? (await this.#opening?.catch(() => undefined))
    await thread?.close()
  }

  async #open(): Promise<DataThread> {
    try {
      this.#thread = threadFor(this.#options, await readRing(this.#encryption!))
      return this.#thread
    } catch (error) {
      // Asked for again by the next call: where keys come from may be down for a moment.
      this.#opening = undefined
      throw error
    }
  }
}

function threadFor(options: DataOptions, ring: KeyRing | undefined): DataThread {
  const start: DataWorkerStart = { mandateData: { ...options, ring } }
  return new FileThread({ url: dataWorkerUrl, name: 'mandate-data', start, path: options.path, closed: dataClosed })
}
