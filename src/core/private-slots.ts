/** Makes `this` of whatever it is given, so that a class can put a private field on an object that is not its own. */
// oxlint-disable-next-line typescript/no-extraneous-class
class Returning {
  constructor(object: object) {
    // oxlint-disable-next-line no-constructor-return -- that is the whole point
    return object
  }
}

/** What is known about objects, by identity: a copy of one is a stranger. */
interface Notes<T> {
  set(on: object, what: T): void
  get(on: object): T | undefined
}

/**
 * Private data on foreign objects, stored in a private field of each. A WeakMap would do as well, but what one holds is taken for live
 * until the whole heap is looked at: with an object for every run, or for every entry, the collector pays more than they cost.
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
