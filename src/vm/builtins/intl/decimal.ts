/** How many digits a number is written with: after the point, or in all. */
export interface Rounding {
  readonly kind: 'places' | 'significant'
  readonly least: number
  readonly most: number
}

/** A number from 0 up in digits, without an exponent: `1.5e-7` is `0.00000015`. */
export function decimalText(number: number): string {
  return expanded(String(number))
}

function expanded(text: string): string {
  const [mantissa = '', exponent] = text.split('e')
  return exponent === undefined ? text : shifted(mantissa, Number(exponent))
}

/** Moves the point of a decimal text to the right, or to the left for a negative count. */
export function shifted(text: string, places: number): string {
  if (places === 0) return text
  const [whole = '0', fraction = ''] = text.split('.')
  const digits = whole + fraction
  const point = whole.length + places
  const moved =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits + '0'.repeat(point - digits.length)
        : `${digits.slice(0, point)}.${digits.slice(point)}`
  const [left = '0', right] = moved.replace(/^0+(?=\d)/, '').split('.')
  return right === undefined || /^0*$/.test(right) ? left : `${left}.${right.replace(/0+$/, '')}`
}

/** Adds one to the last digit of a text of digits. */
function incremented(digits: string): string {
  const nines = /9*$/.exec(digits)![0].length
  const head = digits.slice(0, digits.length - nines)
  const next = head === '' ? '1' : head.slice(0, -1) + String(Number(head.at(-1)) + 1)
  return next + '0'.repeat(nines)
}

/** Rounds to at most so many places, and pads to at least so many: half away from zero, as number formats do, or half to even. */
export function roundToPlaces(text: string, least: number, most: number, half: 'up' | 'even' = 'up'): string {
  const [whole = '0', fraction = ''] = text.split('.')
  let kept = fraction
  let integer = whole
  if (fraction.length > most) {
    const digits = whole + fraction.slice(0, most)
    const isKept = half === 'even' && fraction.slice(most) === '5' && /[02468]$/.test(digits)
    const up = Number(fraction[most]) >= 5 && !isKept ? incremented(digits) : digits
    const padded = up.padStart(most + 1, '0')
    integer = padded.slice(0, padded.length - most)
    kept = padded.slice(padded.length - most)
  }
  const trimmed = kept.replace(/0+$/, '').padEnd(least, '0')
  return trimmed === '' ? integer : `${integer}.${trimmed}`
}

/** The same for digits in all, counted from the first that is not 0. */
export function roundToSignificant(text: string, least: number, most: number): string {
  const [whole = '0', fraction = ''] = text.split('.')
  const first = (whole === '0' ? '' : whole).length
  const lead = first > 0 ? 0 : /^0*/.exec(fraction)![0].length
  const isZero = !/[1-9]/.test(text)
  const magnitude = isZero ? 1 : first > 0 ? first : -lead
  const rounded = roundedAt(text, most - magnitude)
  const places = Math.max(0, least - magnitudeOf(rounded))
  const [integer = '0', rest = ''] = rounded.split('.')
  const padded = rest.replace(/0+$/, '').padEnd(places, '0')
  return padded === '' ? integer : `${integer}.${padded}`
}

function magnitudeOf(text: string): number {
  const [whole = '0', fraction = ''] = text.split('.')
  if (whole !== '0') return whole.length
  return /[1-9]/.test(fraction) ? -/^0*/.exec(fraction)![0].length : 1
}

/** Rounds at a place after the point; a negative one is before it. */
function roundedAt(text: string, place: number): string {
  if (place >= 0) return roundToPlaces(text, 0, place)
  return shifted(roundToPlaces(shifted(text, place), 0, 0), -place)
}
