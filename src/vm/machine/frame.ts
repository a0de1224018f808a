import type { Box, Frame } from '../value/guest-function.ts'

/** Slots before those of variables: the captured boxes, and the receiver. */
export const FRAME_HEAD = 2
/** Slots of the smallest frame size. */
export const SMALL = 4
const MIDDLE = 8

/** Creates a frame with all slots undefined. Uses array literals, because V8 allocates those fastest. */
export function newFrame(size: number, boxes: readonly Box[]): Frame {
  if (size <= SMALL) return [boxes, undefined, undefined, undefined]
  if (size <= MIDDLE) return [boxes, undefined, undefined, undefined, undefined, undefined, undefined, undefined]
  const frame: Frame = [boxes, undefined]
  for (let i = 2; i < size; i++) frame.push(undefined)
  return frame
}
