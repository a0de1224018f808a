import type { Guest } from './guest.ts'
import { KeyedMap, KeyedSet } from './keyed.ts'

/** Keys are compared as JavaScript's `Map` does; references by identity, which is ours too. */
export class GuestMap {
  readonly entries: Map<Guest, Guest> = new KeyedMap()
  label = 0
}

export class GuestSet {
  readonly values: Set<Guest> = new KeyedSet()
  label = 0
}

export class GuestDate {
  /** Milliseconds since 1970, or NaN. */
  time: number
  label = 0
  constructor(time: number) {
    this.time = time
  }
}

/** A regular expression. What the engine compiled it to is kept beside, never seen by programs. */
export class GuestRegExp {
  readonly source: string
  readonly flags: string
  lastIndex = 0
  engine: unknown = undefined
  /** What it was charged with, its engine included. */
  bytes = 96
  label = 0
  constructor(source: string, flags: string) {
    this.source = source
    this.flags = flags
  }
}
