import type { Guest } from './guest.ts'
import { KeyedMap, KeyedSet } from './keyed.ts'

/** Keys are compared as in JavaScript's `Map`; references by identity. */
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

/** A regular expression. Its compiled form is cached beside it, invisible to programs. */
export class GuestRegExp {
  readonly source: string
  readonly flags: string
  lastIndex = 0
  engine: unknown = undefined
  /** Bytes charged for it, compiled form included. */
  bytes = 96
  label = 0
  constructor(source: string, flags: string) {
    this.source = source
    this.flags = flags
  }
}
