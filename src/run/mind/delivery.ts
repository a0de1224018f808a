import { afterMicrotasks, systemClock } from '../../core/index.ts'
import type { Delivery } from '../../journal/index.ts'

interface Ready {
  readonly at: number
  readonly give: () => void
}

/** A place in the order of deliveries: reserved when the end is written, filled when the outcome may be delivered. */
export interface Place {
  readonly at: number
  give?: (() => void) | undefined
}

interface DeliveryHost {
  /** Called whenever everything available was delivered and the microtasks of the mind have drained. */
  onIdle(): void
  /** Whether `onIdle` is needed: something is parked, or the process is stopping. */
  awaitsIdle(): boolean
  /** Whether the mind waits for any effect; one that does not is computing, and may take its time. */
  isWaiting(): boolean
  /** Called when the next recorded delivery is one that the mind did not request. */
  onStall(next: Delivery): void
}

/** A mind may do slow work of its own (loading a module, for example) before its next request; only after this long does it count as diverged. */
const STALL_GRACE_MS = 2_000

/**
 * Delivers outcomes to a mind in the order of their ends in the journal, live and on replay, one at a time, each after the microtasks of the one
 * before. This makes everything that a mind does between two outcomes a function of the journal, including which of two parallel chains continues
 * first.
 */
export class DeliveryQueue {
  readonly #recorded: readonly Delivery[]
  readonly #host: DeliveryHost
  readonly #claims = new Map<string, () => void>()
  readonly #live: Place[] = []
  /** The recorded keys by every path above them; built when the first recorded decision is reached. */
  #below: ReadonlyMap<string, readonly string[]> | undefined
  #cursor = 0
  /** Pending until everything recorded was delivered and the mind has reacted to the last of it; `undefined` from then on. */
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

  /** Whether recorded outcomes are still to be delivered. */
  get replaying(): boolean {
    return this.#cursor < this.#recorded.length
  }

  /** Registers the mind's request for a recorded outcome, which is delivered in its turn. */
  claim(key: string, give: () => void): void {
    this.#claims.set(key, give)
    this.pump()
  }

  /**
   * Reserves a place behind everything recorded for an effect that has just ended: effects that end later are delivered later, even if they are
   * durable sooner.
   */
  reserve(at: number): Place {
    const place: Place = { at }
    this.#live.push(place)
    return place
  }

  /** Allows a delivery, which happens after everything before it. */
  fill(place: Place, give: () => void): void {
    place.give = give
    this.pump()
  }

  /**
   * Resolves when everything recorded was delivered and the mind has reacted to it; `undefined` if that is already the case. New work starts only
   * then: before that the mind may still diverge, and nothing may have been done or written.
   */
  caughtUp(): Promise<void> | undefined {
    if (this.#caughtUp !== undefined) this.pump()
    return this.#caughtUp?.promise
  }

  /** The key of the first recorded outcome that the mind has not requested. */
  unclaimed(): string | undefined {
    return this.#recorded.slice(this.#cursor).find(({ key }) => !this.#claims.has(key))?.key
  }

  /** Skips the deliveries inside a strategy whose decision is recorded: they are never requested again. */
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

  /** Stops all deliveries, because the mind has finished or was dropped. */
  close(): void {
    this.#closed = true
    this.#stall?.()
    this.#claims.clear()
    this.#live.length = 0
    // Effects that wait to start are ended elsewhere.
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
    // The next delivery schedules its own turn, after the microtasks of this one.
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
    // Measured in real time, regardless of the clock of the run.
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
