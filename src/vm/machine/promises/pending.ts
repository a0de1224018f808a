import type { Outcome } from '../../../core/index.ts'
import type { VmRequest } from '../../port.ts'
import type { GuestPromise } from '../../value/guest-promise.ts'

/** A request that waits for its outcome, among the others in the order of issue. */
export class PendingRequest {
  readonly request: VmRequest
  readonly promise: GuestPromise
  isOpen = true
  /** What came of it, from then on until the program takes it. */
  outcome: Outcome | undefined
  before: PendingRequest | undefined
  after: PendingRequest | undefined

  constructor(request: VmRequest, promise: GuestPromise) {
    this.request = request
    this.promise = promise
  }
}

/** Requests that wait. A chain: most programs have one at a time, which a map would make and unmake its table for. */
export class PendingRequests {
  size = 0
  #first: PendingRequest | undefined
  #last: PendingRequest | undefined

  add(entry: PendingRequest): void {
    entry.before = this.#last
    if (this.#last === undefined) this.#first = entry
    else this.#last.after = entry
    this.#last = entry
    this.size += 1
  }

  /** Takes a request out; `false` when its outcome came before. */
  close(entry: PendingRequest): boolean {
    if (!entry.isOpen) return false
    entry.isOpen = false
    const { before, after } = entry
    if (before === undefined) this.#first = after
    else before.after = after
    if (after === undefined) this.#last = before
    else after.before = before
    entry.before = entry.after = undefined
    this.size -= 1
    return true
  }

  find(id: number): PendingRequest | undefined {
    let entry = this.#first
    while (entry !== undefined && entry.request.id !== id) entry = entry.after
    return entry
  }

  all(): PendingRequest[] {
    const found: PendingRequest[] = []
    for (let entry = this.#first; entry !== undefined; entry = entry.after) found.push(entry)
    return found
  }

  clear(): void {
    for (const entry of this.all()) this.close(entry)
  }
}
