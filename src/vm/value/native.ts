import type { Receiver } from './builtin-table.ts'

/** Receivers whose values are objects of the platform. */
export type NativeReceiver = Extract<Receiver, 'timer'>

/**
 * An object of the platform (a timer, a URL, a number format). Programs reach what it holds through its methods and properties alone;
 * its label covers all of it.
 */
export abstract class GuestNative {
  /** Its methods in the table of built-ins. */
  abstract readonly receiver: NativeReceiver
  /** The name of its type: `[object Timeout]`. */
  abstract readonly type: string
  /** Bytes charged for it, without the values that it refers to. */
  abstract get bytes(): number
  label = 0

  /** The guest values that it refers to. */
  held(): readonly unknown[] {
    return []
  }

  /** Its text, as `String(value)` gives it. */
  text(): string {
    return `[object ${this.type}]`
  }
}
