import type { Guest } from '../../value/guest.ts'
import { GuestNative } from '../../value/native/guest-native.ts'

/** What a step gives when there are no more items. Never a value of a program. */
export const END: unique symbol = Symbol('end') as never

/** Something that gives items one by one. */
export interface Cursor {
  /** The next item; `live.label` then holds its label. */
  step(): Guest | typeof END
  /** The label of the fact that the last step gave an item, or none. */
  readonly stepLabel: number
  /** The consumer stops before the end. */
  close(): void
}

/** An iterator of the platform: of a collection, of a generator, or a helper over another iterator. */
export abstract class GuestIterator extends GuestNative implements Cursor {
  stepLabel = 0

  abstract step(): Guest | typeof END

  close(): void {}
}
