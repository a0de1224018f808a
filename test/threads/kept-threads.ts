import { MessageChannel, Worker as Thread } from 'node:worker_threads'
import type { MessagePort, WorkerOptions } from 'node:worker_threads'

/** Threads that serve no file now. They are of no use to a process that does nothing else, and do not keep it alive. */
const idle: Thread[] = []

type Listener = (value: unknown) => void

/**
 * What stores are given for a `Worker` in the processes of tests (`test/source-changes.ts`). Most of the work of a test that opens a store would
 * be the start of a thread, which costs as much as hundreds of appends: a thread whose file was closed serves the next file instead.
 * Processes that tests start have threads of their own for each file, as users have.
 */
export class Worker {
  readonly #thread: Thread
  readonly #port: MessagePort
  readonly #listeners: [name: string, listener: Listener][] = []
  #hasEnded = false

  constructor(url: URL, { workerData, ...options }: WorkerOptions) {
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#thread = idle.pop() ?? new Thread(new URL('kept-thread.mjs', import.meta.url), options)
    this.#thread.unref()
    this.on('exit', () => void (this.#hasEnded = true))
    this.#thread.postMessage({ url: url.href, start: workerData as unknown, port: port2 }, [port2])
  }

  on(name: 'message' | 'error' | 'exit', listener: Listener): void {
    if (name === 'message') return void this.#port.on(name, listener)
    this.#listeners.push([name, listener])
    this.#thread.on(name, listener)
  }

  postMessage(message: unknown, transfer: readonly []): void {
    this.#port.postMessage(message, transfer)
  }

  ref(): void {
    this.#port.ref()
  }

  unref(): void {
    this.#port.unref()
  }

  /** Stores end a thread when it has closed its file. */
  async terminate(): Promise<void> {
    for (const [name, listener] of this.#listeners) this.#thread.off(name, listener)
    this.#port.close()
    if (!this.#hasEnded) idle.push(this.#thread)
  }
}
