import { afterMicrotasks, systemClock } from '../../core/index.ts'
import type { Delivery } from '../../journal/index.ts'

interface Ready {
  readonly at: number
  readonly give: () => void
}

/** A place in the order of deliveries: taken when the journal gets an end, filled when the mind may hear of it. */
export interface Place {
  readonly at: number
  give?: (() => void) | undefined
}

interface DeliveryHost {
  /** Called whenever the mind has been given all there is and its microtasks have drained. */
  onIdle(): void
  /** Whether anyone wants to know that the mind has nothing more to do by itself: something is parked, or the process wants to stop. */
  awaitsIdle(): boolean
  /** Whether the mind waits for anything at all; one that does not is busy with itself, and may take its time. */
  isWaiting(): boolean
  /** Called when the journal's next delivery is one that the mind never asked for. */
  onStall(next: Delivery): void
}

/** A mind may do slow work of its own (loading a module, say) before it asks; only after this long is it held to have changed. */
const STALL_GRACE_MS = 2_000

/**
 * Hands outcomes to a mind in the order in which the journal has their ends, live and on replay alike, one at a time, each after the microtasks of the one before.
 * That makes everything a mind does between two outcomes a function of the journal: also which of two parallel chains goes first.
 */
export class DeliveryQueue {
  readonly #recorded: readonly Delivery[]
  readonly #host: DeliveryHost
  readonly #claims = new Map<string, () => void>()
  readonly #live: Place[] = []
  /** The recorded keys by every path above them; made when the first recorded decision is met. */
  #below: ReadonlyMap<string, readonly string[]> | undefined
  #cursor = 0
  /** Pending until everything recorded has been given and the mind has reacted to the last of it; `undefined` from then on. */
  #caughtUp: PromiseWithResolvers<void> | undefined
  #pumping = false
  #stall: (() => void) | undefined
  #closed = false
  readonly #next = (): void => this.#step()
  /** The time of the last delivery. */
  now: number

  constructor(recorded: readonly Delivery[], startedAt: number, host: DeliveryHost) {
    this.#recorded = [...recorded]
    if (recorded.length > 0) this.#caughtUp = Promise.withResolvers()
    this.#host = host
    this.now = startedAt
  }

  /** Whether recorded deliveries are still owed. */
  get replaying(): boolean {
    return this.#cursor < this.#recorded.length
  }

  /** The mind asks for something the journal has: it will be given in its turn. */
  claim(key: string, give: () => void): void {
    this.#claims.set(key, give)
    this.pump()
  }

  /** Something new has ended, and is in the journal after everything recorded: whatever ends later is given later, also if it is on disk sooner. */
  reserve(at: number): Place {
    const place: Place = { at }
    this.#live.push(place)
    return place
  }

  /** The mind may hear of it now, and will when everything before it has been given. */
  fill(place: Place, give: () => void): void {
    place.give = give
    this.pump()
  }

  /**
   * Resolves when everything recorded has been given and the mind has reacted to it; nothing to wait for when that is so already.
   * New work begins only then: until then the mind could still turn out to have changed, and nothing may have been done or written.
   */
  caughtUp(): Promise<void> | undefined {
    if (this.#caughtUp !== undefined) this.pump()
    return this.#caughtUp?.promise
  }

  /** The first recorded outcome that the mind has not requested yet. */
  unclaimed(): string | undefined {
    return this.#recorded.slice(this.#cursor).find(({ key }) => !this.#claims.has(key))?.key
  }

  /** Deliveries inside a strategy whose decision is recorded are never asked for again. */
  skipBelow(path: string, onPass?: (key: string) => void): void {
    this.#below ??= keysBelow(this.#recorded)
    for (const key of this.#below.get(path) ?? [])
      if (!this.#claims.has(key)) this.#claims.set(key, () => onPass?.(key))
    this.pump()
  }

  pump(): void {
    if (this.#pumping || this.#closed) return
    this.#pumping = true
    afterMicrotasks(this.#next)
  }

  /** Nothing is delivered after this: the mind is over, or has been dropped. */
  close(): void {
    this.#closed = true
    this.#stall?.()
    this.#claims.clear()
    this.#live.length = 0
    // Effects that wait to start are rejected elsewhere.
    this.#caughtUp?.resolve()
    this.#caughtUp = undefined
  }

  #step(): void {
    if (this.#closed) return
    if (!this.replaying) {
      this.#caughtUp?.resolve()
      this.#caughtUp = undefined
    }
    const next = this.#take()
    if (next === undefined) {
      this.#pumping = false
      this.#host.onIdle()
      return
    }
    this.now = Math.max(this.now, next.at)
    next.give()
    if (this.replaying || this.#caughtUp !== undefined || this.#live[0]?.give !== undefined || this.#host.awaitsIdle())
      afterMicrotasks(this.#next)
    // Whatever comes next asks for its own turn, after the microtasks of this one.
    else this.#pumping = false
  }

  #take(): Ready | undefined {
    const owed = this.#recorded[this.#cursor]
    if (owed === undefined) return this.#takeLive()
    const give = this.#claims.get(owed.key)
    if (give === undefined) {
      this.#awaitClaim(owed)
      return undefined
    }
    this.#cursor += 1
    this.#claims.delete(owed.key)
    return { at: owed.at, give }
  }

  #takeLive(): Ready | undefined {
    const first = this.#live[0]
    if (first?.give === undefined) return undefined
    this.#live.shift()
    return { at: first.at, give: first.give }
  }

  #awaitClaim(owed: Delivery): void {
    // Whether the mind is merely slow is a question of real time, whatever clock the run has.
    this.#stall ??= systemClock.timer(STALL_GRACE_MS, () => {
      this.#stall = undefined
      if (this.#claims.size === 0 && !this.#host.isWaiting()) this.#awaitClaim(owed)
      else if (!this.#closed && this.#recorded[this.#cursor] === owed && !this.#claims.has(owed.key))
        this.#host.onStall(owed)
    })
  }
}

function keysBelow(recorded: readonly Delivery[]): Map<string, string[]> {
  const below = new Map<string, string[]>()
  for (const { key } of recorded)
    for (let end = key.indexOf('/'); end >= 0; end = key.indexOf('/', end + 1)) {
      const path = key.slice(0, end)
      const keys = below.get(path)
      if (keys === undefined) below.set(path, [key])
      else keys.push(key)
    }
  return below
}
