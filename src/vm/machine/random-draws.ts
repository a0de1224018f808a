import { seededRandom } from '../../core/index.ts'

/** Draws a number in [0, 1) under a program counter label. */
export type Draw = (labels: readonly string[]) => number

/** Returns a deterministic number source for a seed, for machines without a source of random numbers. */
export function seededNumbers(seed: string): () => number {
  const numbers = seededRandom(seed)
  return () => numbers.next()
}

/**
 * Random numbers of a program. Code that runs under labelled control flow draws from a separate stream per set of labels, so that the number of
 * its draws does not shift numbers drawn elsewhere (an implicit flow). The labelled streams are seeded with the first number of the clean one,
 * which is drawn ahead and still returned in its turn.
 */
export function drawsFrom(numbers: () => number): Draw {
  const first = numbers()
  let isFirstDrawn = false
  const streams = new Map<string, () => number>()
  return (labels) => {
    if (labels.length === 0) {
      if (isFirstDrawn) return numbers()
      isFirstDrawn = true
      return first
    }
    const key = [...new Set(labels)].sort().join(' ')
    let stream = streams.get(key)
    if (stream === undefined) {
      const own = seededRandom(`${first} ${key}`)
      streams.set(key, (stream = () => own.next()))
    }
    return stream()
  }
}
