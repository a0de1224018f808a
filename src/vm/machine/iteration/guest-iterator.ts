import type { Guest } from '../../value/guest.ts'
import { GuestNative } from '../../value/native/guest-native.ts'

/** The result of a step when there are no more items. Never a value of a program. */
export const END: unique symbol = Symbol('end') as never

/** Returns items one by one. */
export interface Cursor {
  /** Returns the next item; `live.label` then holds its label. */
  step(): Guest | typeof END
  /** The label of whether the last step returned an item. */
  readonly stepLabel: number
  /** Called when the consumer stops before the end. */
  close(): void
}

/** An iterator of the platform: of a collection, of a generator, or a helper over another iterator. */
export abstract class GuestIterator extends GuestNative implements Cursor {
  stepLabel = 0

  abstract step(): Guest | typeof END

  close(): void {}
}
