import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { MandateError, afterTurn, messageOf } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'

/** The operations of a thread, synchronous on its side. */
export type OperationTable<O> = { readonly [name in keyof O]: (...args: never[]) => unknown }

/** A message to the thread. */
export interface ThreadCall {
  readonly id: number
  readonly op: string
  readonly args: readonly unknown[]
}

type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorInfo }

/** How many callers are resumed at once; the next ones after other pending work. */
const TOGETHER = 8

/** A message from the thread: the ids of calls without a result, answers to the others, in any order, and notifications. */
export interface ThreadPost<N> {
  readonly done?: readonly number[] | undefined
  readonly answers?: readonly ThreadAnswer[] | undefined
  readonly changes?: N | undefined
}

interface ThreadOptions {
  /** The module that the thread executes. */
  readonly url: URL
  readonly name: string
  /** The thread's `workerData`. */
  readonly start: object
  /** The database file, for messages. */
  readonly path: string
  /** The error of every call after `close`. */
  readonly closed: () => MandateError
}

interface Waiting {
  /** The value has the type of the operation; the id of an answer pairs them. */
  readonly resolve: (value: never) => void
  readonly reject: (error: MandateError) => void
}

/** The caller's side of the thread that owns a file. The thread is started by the first call and keeps the process alive only while an answer is pending. */
export class FileThread<O extends OperationTable<O>, N = never> {
  readonly #options: ThreadOptions
  readonly #onNews: (news: N) => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  /** Calls of the current turn; they are sent together, because every message costs both threads about as much as an append. */
  #outbox: ThreadCall[] = []
  /** Answers and notifications that have arrived and are not yet delivered, in order. */
  readonly #arrived: (() => void)[] = []
  #isGiving = false
  #lastId = 0
  #closing: Promise<void> | undefined

  constructor(options: ThreadOptions, onNews: (news: N) => void = () => {}) {
    this.#options = options
    this.#onNews = onNews
  }

  get isClosed(): boolean {
    return this.#closing !== undefined
  }

  get isStarted(): boolean {
    return this.#worker !== undefined
  }

  call<Op extends keyof O & string>(op: Op, ...args: Parameters<O[Op]>): Promise<ReturnType<O[Op]>> {
    return this.isClosed ? Promise.reject(this.#options.closed()) : this.#send(op, args)
  }

  /** Waits for pending calls, then ends the thread. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Calls that a new thread gets before any other. */
  protected firstCalls(): readonly ThreadCall[] {
    return []
  }

  async #close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    // A thread that has crashed meanwhile has closed the file as well.
    await this.#send('close', []).catch(() => {})
    this.#worker = undefined
    await worker.terminate()
  }

  #send<R>(op: string, args: readonly unknown[]): Promise<R> {
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    this.#waiting.set(id, { resolve, reject })
    if (this.#waiting.size === 1) worker.ref()
    if (this.#outbox.push({ id, op, args }) === 1) queueMicrotask(() => this.#post())
    return promise
  }

  #post(): void {
    const calls = this.#outbox
    this.#outbox = []
    const worker = this.#worker
    // If the thread was lost meanwhile, the calls have been rejected already.
    if (worker === undefined) return
    try {
      worker.postMessage(calls, [])
    } catch {
      for (const call of calls) this.#postAlone(worker, call)
    }
  }

  /** If a call of the batch cannot be cloned, only that one is rejected. */
  #postAlone(worker: Worker, call: ThreadCall): void {
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
    const { url, name, start } = this.#options
    // Flags of the process (debugger, loaders) are not inherited.
    const worker = new Worker(url, { workerData: start, name, execArgv: [], env: threadEnvironment(url) })
    worker.unref()
    worker.on('message', (message: ThreadPost<N>) => this.#take(message, worker))
    worker.on('error', (error) => this.#lost(worker, messageOf(error)))
    worker.on('exit', (code) => this.#lost(worker, `its thread ended with code ${code}`))
    const first = this.firstCalls()
    if (first.length > 0) worker.postMessage(first, [])
    return worker
  }

  #take(message: ThreadPost<N>, worker: Worker): void {
    for (const id of message.done ?? []) this.#arrived.push(() => this.#settle(id, undefined, worker))
    for (const answer of message.answers ?? []) this.#arrived.push(() => this.#settle(answer.id, answer, worker))
    const { changes } = message
    if (changes !== undefined) this.#arrived.push(() => this.#onNews(changes))
    if (!this.#isGiving) this.#give()
  }

  /** Delivers answers in portions: many runs share one commit, and resuming all of them at once would block the event loop. */
  #give(): void {
    for (const settle of this.#arrived.splice(0, TOGETHER)) settle()
    this.#isGiving = this.#arrived.length > 0
    if (this.#isGiving) afterTurn(() => this.#give())
  }

  #settle(id: number, answer: ThreadAnswer | undefined, worker: Worker): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (answer !== undefined && 'error' in answer) waiting?.reject(toError(answer.error))
    else waiting?.resolve(answer?.value as never)
    if (this.#waiting.size === 0) worker.unref()
  }

  /** The thread ended with pending calls: it is unknown whether they were executed, and the next call starts a new one. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    // Answers that arrived before count.
    for (const settle of this.#arrived.splice(0)) settle()
    this.#worker = undefined
    const error = new MandateError(
      'STORE_FAILED',
      `${this.#options.path}: ${why}. Read what is there again before you go on.`,
    )
    for (const waiting of this.#waiting.values()) waiting.reject(error)
    this.#waiting.clear()
  }
}

/**
 * When running from sources, the compile cache is shared between threads: they start in half the time, and avoid a bug in V8 that sometimes crashes
 * the process when several threads strip types at once. Built files need neither.
 */
function threadEnvironment(url: URL): NodeJS.ProcessEnv {
  if (!url.pathname.endsWith('.ts')) return process.env
  return { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env }
}

function toError({ code, message, info }: ErrorInfo): MandateError {
  return new MandateError(code, message, info === undefined ? {} : { info })
}
