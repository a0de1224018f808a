/** The visible period of the lanes. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

const LEAST_MS = 1

/** Zooms the window around a time by a factor, limited to `all`. */
export function zoomed(shown: TimeWindow, all: TimeWindow, by: number, around: number): TimeWindow {
  const span = Math.min(all.to - all.from, Math.max(LEAST_MS, (shown.to - shown.from) * by))
  const share = (around - shown.from) / Math.max(LEAST_MS, shown.to - shown.from)
  return within(around - span * Math.min(1, Math.max(0, share)), span, all)
}

/** Moves the window a quarter earlier or later. */
export function panned(shown: TimeWindow, all: TimeWindow, by: -1 | 1): TimeWindow {
  const span = shown.to - shown.from
  return within(shown.from + (by * span) / 4, span, all)
}

export function within(from: number, span: number, all: TimeWindow): TimeWindow {
  const start = Math.max(all.from, Math.min(from, all.to - span))
  return { from: start, to: start + span }
}

const STEPS = 16

/** Rounds a duration up to leave some room at the end: to the next of 16 steps between powers of two. */
export function stepped(span: number): number {
  const step = 2 ** Math.floor(Math.log2(Math.max(LEAST_MS, span))) / STEPS
  return (Math.floor(span / step) + 1) * step
}

/** Returns at most `most` round times within a window: multiples of 1, 2 or 5 times a power of ten. */
export function ticksOf({ from, to }: TimeWindow, most = 5): readonly number[] {
  const span = Math.max(LEAST_MS, to - from)
  // At least one millisecond, because times have no fractions: two ticks would have the same label.
  const power = Math.max(1, 10 ** Math.floor(Math.log10(span / most)))
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => span / each <= most) ?? span
  const ticks: number[] = []
  for (let at = 0; at <= span; at += step) ticks.push(from + at)
  return ticks
}
