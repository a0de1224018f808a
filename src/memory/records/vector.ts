import { MandateError } from '../../core/index.ts'

const DIMENSIONS_MAX = 16_384

/** Normalizes a vector, so that the dot product of two is their cosine. */
export function unitVector(given: readonly number[] | Float32Array): Float32Array {
  const isList = Array.isArray(given) || given instanceof Float32Array
  if (!isList || given.length === 0 || given.length > DIMENSIONS_MAX)
    throw refused(`it must be a list of 1 to ${DIMENSIONS_MAX} numbers`)
  let sum = 0
  for (const number of given) {
    if (typeof number !== 'number' || !Number.isFinite(number)) throw refused(`${String(number)} is not a number`)
    sum += number * number
  }
  const length = Math.sqrt(sum)
  if (!(length > 0) || !Number.isFinite(length)) throw refused('it has no direction')
  return Float32Array.from(given, (number) => number / length)
}

function refused(why: string): MandateError {
  return new MandateError(
    'INPUT_INVALID',
    `The vector cannot be used: ${why}. Give what an embedding model made of the text.`,
  )
}

/** The dot product of two vectors. Four independent sums, because a single one would be limited by the latency of additions. */
export function dot(a: Float32Array, b: Float32Array): number {
  const { length } = a
  let [s0, s1, s2, s3] = [0, 0, 0, 0]
  let i = 0
  for (; i + 3 < length; i += 4) {
    s0 += a[i]! * b[i]!
    s1 += a[i + 1]! * b[i + 1]!
    s2 += a[i + 2]! * b[i + 2]!
    s3 += a[i + 3]! * b[i + 3]!
  }
  for (; i < length; i++) s0 += a[i]! * b[i]!
  return s0 + s1 + s2 + s3
}
