import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { MandateError, messageOf } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'
import type { Change } from '../../journal/index.ts'
import type { Call, FileOptions, OperationName, Operations, Post, StoreCaller } from './protocol.ts'
import { workerUrl } from './worker.ts'
import type { WorkerStart } from './worker.ts'

interface Waiting {
  /** Takes what the operation's own type says; the id of an answer is what pairs them. */
  readonly resolve: (value: never) => void
  readonly reject: (error: MandateError) => void
}

/** The caller's end of the thread that owns the file. It is started by the first call and keeps the process alive only while an answer is due. */
export class StoreThread implements StoreCaller {
  readonly #options: FileOptions
  readonly #onChanges: (changes: readonly Change[]) => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  /** Asked for in this turn of the caller's; they go together, because every message costs both threads about as much as an append. */
  #outbox: Call[] = []
  #lastId = 0
  #isWatching = false
  #closing: Promise<void> | undefined

  constructor(options: FileOptions, onChanges: (changes: readonly Change[]) => void) {
    this.#options = options
    this.#onChanges = onChanges
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  call<Op extends OperationName>(op: Op, ...args: Parameters<Operations[Op]>): Promise<ReturnType<Operations[Op]>> {
    return this.isClosed ? Promise.reject(closed()) : this.#send(op, args)
  }

  /** Asks for news, or for no more. It outlives the thread: a new one is asked again. */
  watch(isWatching: boolean): void {
    this.#isWatching = isWatching
    if (this.#worker !== undefined || isWatching) this.call('watch', isWatching).catch(() => {})
  }

  /** Waits for what was asked before, then ends the thread. Asking twice is asking once. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    // A thread that dies on the way has closed the file as well.
    await this.#send('close', []).catch(() => {})
    this.#worker = undefined
    await worker.terminate()
  }

  #send<Op extends OperationName>(op: Op, args: Parameters<Operations[Op]>): Promise<ReturnType<Operations[Op]>> {
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<Operations[Op]>>()
    this.#waiting.set(id, { resolve, reject })
    if (this.#waiting.size === 1) worker.ref()
    // The type checker cannot see that an operation and its own arguments belong together.
    if (this.#outbox.push({ id, op, args } as unknown as Call) === 1) queueMicrotask(() => this.#post())
    return promise
  }

  #post(): void {
    const calls = this.#outbox
    this.#outbox = []
    const worker = this.#worker
    // A thread that was lost meanwhile has refused them already.
    if (worker === undefined) return
    try {
      worker.postMessage(calls, [])
    } catch {
      for (const call of calls) this.#postAlone(worker, call)
    }
  }

  /** One of those that were to go together cannot be copied; it alone is refused. */
  #postAlone(worker: Worker, call: Call): void {
    try {
      worker.postMessage([call], [])
    } catch (cause) {
      const message = `\`${call.op}\` was given something that is not plain data: ${messageOf(cause)}`
      const waiting = this.#waiting.get(call.id)
      this.#waiting.delete(call.id)
      if (this.#waiting.size === 0) worker.unref()
      waiting?.reject(new MandateError('INPUT_INVALID', message, { cause }))
    }
  }

  #start(): Worker {
    const start: WorkerStart = { mandateStore: this.#options }
    // No flags of the process: a debugger or a loader that it was started with has no business in here.
    const worker = new Worker(workerUrl, {
      workerData: start,
      name: 'mandate-store',
      execArgv: [],
      env: threadEnvironment(),
    })
    worker.unref()
    worker.on('message', (message: Post) => this.#take(message, worker))
    worker.on('error', (error) => this.#lost(worker, messageOf(error)))
    worker.on('exit', (code) => this.#lost(worker, `its thread ended with code ${code}`))
    if (this.#isWatching) worker.postMessage([{ id: 0, op: 'watch', args: [true] } satisfies Call], [])
    return worker
  }

  #take(message: Post, worker: Worker): void {
    for (const id of message.done ?? []) {
      this.#waiting.get(id)?.resolve(undefined as never)
      this.#waiting.delete(id)
    }
    for (const answer of message.answers ?? []) {
      const waiting = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      if ('error' in answer) waiting?.reject(toError(answer.error))
      else waiting?.resolve(answer.value as never)
    }
    if (this.#waiting.size === 0) worker.unref()
    if (message.changes !== undefined) this.#onChanges(message.changes)
  }

  /** The thread died under its calls: whether they were carried out is unknown, and the next call starts a new one. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const error = new MandateError(
      'STORE_FAILED',
      `${this.#options.path}: ${why}. Read the run again before you go on.`,
    )
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

/**
 * From sources, what Node makes of the TypeScript is kept between threads: they start in half the time, and they keep clear of a fault in V8
 * that ends the process now and then when several threads strip types at once. Built files need neither.
 */
function threadEnvironment(): NodeJS.ProcessEnv {
  if (!workerUrl.pathname.endsWith('.ts')) return process.env
  return { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env }
}

function toError({ code, message, info }: ErrorInfo): MandateError {
  return new MandateError(code, message, info === undefined ? {} : { info })
}

/** The refusal of everything after `close`. */
export function closed(): MandateError {
  return new MandateError('CLOSED', 'The journal is closed. Open it again with `sqliteJournal`.')
}
