/** A base class whose constructor returns its argument, so that a subclass can add a private field to any object. */
// oxlint-disable-next-line typescript/no-extraneous-class
class Returning {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return -- the purpose of this class
    return object
  }
}

/** Private data about objects, by identity: a copy of an object has none. */
interface Notes<T> {
  set(on: object, what: T): void
  get(on: object): T | undefined
}

/**
 * Attaches private data to objects of other classes, stored in a private field of each. A WeakMap would do the same, but its values stay alive until
 * a full garbage collection, which is expensive with an object for every run or every entry.
 */
export function notes<T>(): Notes<T> {
  return class Noted extends Returning {
    readonly #what: T

    constructor(on: object, what: T) {
      super(on)
      this.#what = what
    }

    static set(on: object, what: T): void {
      void new Noted(on, what)
    }

    static get(on: object): T | undefined {
      return #what in on ? on.#what : undefined
    }
  }
}
