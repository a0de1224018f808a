import { failed, messageOf } from '../../core/index.ts'
import type { Outcome } from '../../core/index.ts'
import type { RequestPort, VmRequest } from '../port.ts'

interface Arrived {
  readonly id: number
  readonly outcome: Outcome
}

/** Sends requests to the port, so many at once, and keeps their outcomes until the program can take them. */
export class RequestDesk {
  readonly #port: RequestPort | undefined
  readonly #parallel: number
  readonly #inbox: Arrived[] = []
  #inFlight = 0
  /** Made with the first request: most small programs have none. */
  #stopper: AbortController | undefined
  #onArrival: () => void

  constructor(port: RequestPort | undefined, parallel: number, onArrival: () => void) {
    this.#port = port
    this.#parallel = parallel
    this.#onArrival = onArrival
  }

  get isEmpty(): boolean {
    return this.#inbox.length === 0
  }

  arrive(id: number, outcome: Outcome): void {
    this.#inbox.push({ id, outcome })
    this.#onArrival()
  }

  next(): Arrived | undefined {
    return this.#inbox.shift()
  }

  /** Performs what was asked, until an outcome is there at once: outcomes reach the program one at a time. */
  dispatch(outbox: VmRequest[]): boolean {
    const port = this.#port
    if (port === undefined) return false
    while (outbox.length > 0 && this.#inFlight < this.#parallel) if (this.#perform(port, outbox.shift()!)) return true
    return false
  }

  #perform(port: RequestPort, request: VmRequest): boolean {
    let answer: Outcome | Promise<Outcome>
    try {
      answer = port.perform(request, (this.#stopper ??= new AbortController()).signal)
    } catch (error) {
      answer = failed('TOOL_FAILED', messageOf(error))
    }
    if (!isPromise(answer)) return this.#inbox.push({ id: request.id, outcome: answer }) > 0
    this.#inFlight += 1
    const end = (outcome: Outcome): void => {
      this.#inFlight -= 1
      this.arrive(request.id, outcome)
    }
    answer.then(end, (error: unknown) => end(failed('TOOL_FAILED', messageOf(error))))
    return false
  }

  /** Tells whatever is under way that nobody waits for it any more. */
  close(): void {
    this.#onArrival = () => {}
    if (this.#inFlight > 0) this.#stopper?.abort()
  }
}

function isPromise(value: unknown): value is Promise<Outcome> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
