import { IN_TRY } from '../meter/live.ts'
import { Stop } from '../meter/stop.ts'

/** Flag beside the label bits: labelled data selected which value this is (a tainted reference), so a write through it may have another target. */
export const CHOSEN: number = 1 << 28
/** Mask of the label bits, without the flags. */
export const LABEL_BITS: number = IN_TRY - 1

/** Whether labelled data selected this value, so that a write through it may have had another target. */
export function isChosen(bits: number): boolean {
  return (bits & CHOSEN) !== 0
}

const EXACT_MAX = 24
const NAMES_MAX = 28

/** The bit set of labels. Beyond `EXACT_MAX` labels, one bit stands for all labels of a kind (`untrusted:*`). */
export function bitsOf(labels: readonly string[], names: string[]): number {
  let bits = 0
  for (const label of labels) bits |= 1 << placeOf(label, names)
  return bits
}

function placeOf(label: string, names: string[]): number {
  const known = names.indexOf(label)
  if (known >= 0) return known
  if (names.length < EXACT_MAX) return names.push(label) - 1
  const kind = label.includes(':') ? `${label.slice(0, label.indexOf(':'))}:*` : label
  const wide = names.indexOf(kind)
  if (wide >= 0) return wide
  if (names.length < NAMES_MAX) return names.push(kind) - 1
  throw new Stop({
    code: 'LIMIT_EXCEEDED',
    message: `A program follows ${NAMES_MAX} labels at most; ${label} is one too many.`,
  })
}

export function namesOf(bits: number, names: readonly string[]): readonly string[] {
  return bits === 0 ? [] : names.filter((_, place) => (bits & (1 << place)) !== 0).sort()
}
