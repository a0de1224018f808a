import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { MandateError, afterTurn, messageOf } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'

/** What can be asked of a thread: operations that answer at once, over there. */
export type OperationTable<O> = { readonly [name in keyof O]: (...args: never[]) => unknown }

/** What goes over. */
export interface ThreadCall {
  readonly id: number
  readonly op: string
  readonly args: readonly unknown[]
}

type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorInfo }

/** So many callers go on together; the next ones after whatever else is due. */
const TOGETHER = 8

/** What comes back: the ids of calls that have nothing to say, answers to the others, in any order, and news. */
export interface ThreadPost<N> {
  readonly done?: readonly number[] | undefined
  readonly answers?: readonly ThreadAnswer[] | undefined
  readonly changes?: N | undefined
}

interface ThreadOptions {
  /** The file that the thread runs. */
  readonly url: URL
  readonly name: string
  /** What the thread begins with. */
  readonly start: object
  /** The database file, for messages. */
  readonly path: string
  /** The refusal of everything after `close`. */
  readonly closed: () => MandateError
}

interface Waiting {
  /** Takes what the operation's own type says; the id of an answer is what pairs them. */
  readonly resolve: (value: never) => void
  readonly reject: (error: MandateError) => void
}

/** The caller's end of the thread that owns a file. It is started by the first call and keeps the process alive only while an answer is due. */
export class FileThread<O extends OperationTable<O>, N = never> {
  readonly #options: ThreadOptions
  readonly #onNews: (news: N) => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | undefined
  /** Asked for in this turn of the caller's; they go together, because every message costs both threads about as much as an append. */
  #outbox: ThreadCall[] = []
  /** Answers and news that have come and were not given to their callers yet, in their order. */
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

  /** Waits for what was asked before, then ends the thread. Asking twice is asking once. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** What a new thread is told before anything else. */
  protected firstCalls(): readonly ThreadCall[] {
    return []
  }

  async #close(): Promise<void> {
    const worker = this.#worker
    if (worker === undefined) return
    // A thread that dies on the way has closed the file as well.
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
    // A thread that was lost meanwhile has refused them already.
    if (worker === undefined) return
    try {
      worker.postMessage(calls, [])
    } catch {
      for (const call of calls) this.#postAlone(worker, call)
    }
  }

  /** One of those that were to go together cannot be copied; it alone is refused. */
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

  /** Many runs share one commit. Going on with all of them at once would keep the caller's loop from everything else. */
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

  /** The thread died under its calls: whether they were carried out is unknown, and the next call starts a new one. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker !== worker) return
    // What was answered before counts.
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
 * From sources, what Node makes of the TypeScript is kept between threads: they start in half the time, and they keep clear of a fault in V8
 * that ends the process now and then when several threads strip types at once. Built files need neither.
 */
function threadEnvironment(url: URL): NodeJS.ProcessEnv {
  if (!url.pathname.endsWith('.ts')) return process.env
  return { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'), ...process.env }
}

function toError({ code, message, info }: ErrorInfo): MandateError {
  return new MandateError(code, message, info === undefined ? {} : { info })
}
