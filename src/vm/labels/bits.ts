import { IN_TRY } from '../meter/live.ts'
import { Stop } from '../meter/stop.ts'

/** Which of several things it is was decided by what carries the label: a write through such a reference may have gone elsewhere. */
export const CHOSEN: number = 1 << 28
/** Labels without the marks of the program counter. */
export const LABEL_BITS: number = IN_TRY - 1

/** What is written through a reference that was chosen may have been something else in its place. */
export function isChosen(bits: number): boolean {
  return (bits & CHOSEN) !== 0
}

const EXACT_MAX = 24
const NAMES_MAX = 28

/** The bits of labels. When there are many, their kinds stand for them. */
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
