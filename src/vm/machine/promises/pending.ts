import type { Outcome } from '../../../core/index.ts'
import type { VmRequest } from '../../port.ts'
import type { GuestPromise } from '../../value/guest-promise.ts'

/** A pending request; a node of the list in order of issue. */
export class PendingRequest {
  readonly request: VmRequest
  readonly promise: GuestPromise
  isOpen = true
  /** Its outcome, until the program takes it. */
  outcome: Outcome | undefined
  before: PendingRequest | undefined
  after: PendingRequest | undefined

  constructor(request: VmRequest, promise: GuestPromise) {
    this.request = request
    this.promise = promise
  }
}

/** The pending requests as a linked list: most programs have one at a time, for which a map is slower. */
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

  /** Removes a request; `false` if its outcome was already taken. */
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
