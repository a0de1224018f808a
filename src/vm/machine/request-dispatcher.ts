import { failed, messageOf } from '../../core/index.ts'
import type { Outcome } from '../../core/index.ts'
import type { RequestPort, SendingPort } from '../port.ts'
import type { PendingRequest } from './promises/pending.ts'
import { Queue } from './promises/queue.ts'

/** Sends requests to the port with bounded concurrency, and queues their outcomes until the program takes them. */
export class RequestDispatcher {
  readonly #port: RequestPort | SendingPort | undefined
  readonly #parallel: number
  readonly #inbox = new Queue<PendingRequest>()
  #inFlight = 0
  /** Created with the first request: most small programs have none. */
  #stopper: AbortController | undefined
  #onArrival: () => void

  constructor(port: RequestPort | SendingPort | undefined, parallel: number, onArrival: () => void) {
    this.#port = port
    this.#parallel = parallel
    this.#onArrival = onArrival
  }

  get isEmpty(): boolean {
    return this.#inbox.isEmpty
  }

  arrive(entry: PendingRequest, outcome: Outcome): void {
    this.#put(entry, outcome)
    this.#onArrival()
  }

  /** Stores the outcome of a request. Later outcomes are ignored. */
  #put(entry: PendingRequest, outcome: Outcome): void {
    if (entry.outcome !== undefined) return
    entry.outcome = outcome
    this.#inbox.push(entry)
  }

  /** The next request with an outcome. */
  next(): PendingRequest | undefined {
    return this.#inbox.shift()
  }

  /** Sends queued requests until one has a synchronous outcome; outcomes reach the program one at a time. */
  dispatch(outbox: Queue<PendingRequest>): boolean {
    const port = this.#port
    if (port === undefined) return false
    while (!outbox.isEmpty && this.#inFlight < this.#parallel) if (this.#perform(port, outbox.shift()!)) return true
    return false
  }

  /** Sends all queued timers: they are not work, so no limit holds them back. */
  dispatchTimers(timers: Queue<PendingRequest>): boolean {
    const port = this.#port
    if (port === undefined) return false
    while (!timers.isEmpty) if (this.#perform(port, timers.shift()!, 0)) return true
    return false
  }

  /** `weight`: how much of the limit of concurrent requests it takes. */
  #perform(port: RequestPort | SendingPort, entry: PendingRequest, weight: 0 | 1 = 1): boolean {
    const { request } = entry
    const { signal } = (this.#stopper ??= new AbortController())
    const end = (outcome: Outcome): void => {
      this.#inFlight -= weight
      this.arrive(entry, outcome)
    }
    let answer: Outcome | Promise<Outcome>
    try {
      if ('send' in port) {
        port.send(request, signal, end)
        this.#inFlight += weight
        return false
      }
      answer = port.perform(request, signal)
    } catch (error) {
      answer = failed('TOOL_FAILED', messageOf(error))
    }
    if (!isPromise(answer)) {
      this.#put(entry, answer)
      return true
    }
    this.#inFlight += weight
    answer.then(end, (error: unknown) => end(failed('TOOL_FAILED', messageOf(error))))
    return false
  }

  /** Aborts all pending requests. */
  close(): void {
    this.#onArrival = () => {}
    this.#stopper?.abort()
  }
}

function isPromise(value: unknown): value is Promise<Outcome> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
