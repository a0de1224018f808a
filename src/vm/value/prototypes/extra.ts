import type { Guest } from '../guest.ts'
import type { GuestObject } from '../guest-object.ts'

/** A property with a getter, a setter, or both. Stored among the properties of an object, and never a value of the program. */
export class Accessor {
  get: Guest
  set: Guest

  constructor(get: Guest, set: Guest) {
    this.get = get
    this.set = set
  }
}

/** Data that few objects have: a prototype, restrictions, properties that are not plain data, private properties. */
export class Extra {
  /** 0: extensible; 1: no new keys, none removed; 2: frozen. */
  integrity = 0
  /** The prototype, if it is an object of the program. */
  proto: GuestObject | null = null
  /** Whether there is no prototype at all, not even that of all objects. */
  isBare = false
  /** Own keys that are not listed. */
  hidden: Set<string> | null = null
  /** Own keys that cannot be set. */
  fixed: Set<string> | null = null
  /** Own keys that cannot be deleted or defined anew. */
  sealed: Set<string> | null = null
  /** Whether an own property is an accessor. */
  hasAccessors = false
  /** Whether objects were made with it as their prototype: inline caches rely on its accessors from then on. */
  isInUse = false
  /** Private properties of classes, under names that other code cannot contain. */
  privates: GuestObject | null = null
}
