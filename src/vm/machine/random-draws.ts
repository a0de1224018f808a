import { seededRandom } from '../../core/index.ts'

/** Gives a number from 0 up to 1 to code that labels led to. */
export type Draw = (labels: readonly string[]) => number

/** The same numbers for the same seed, for machines that are given no source of random numbers. */
export function seededNumbers(seed: string): () => number {
  const numbers = seededRandom(seed)
  return () => numbers.next()
}

/**
 * Random numbers of a program. What labelled data decides draws from a stream of its own for each set of labels: how often it
 * draws shifts none of the numbers that are drawn elsewhere. The other streams begin with the first number of the clean one,
 * which is looked at ahead and still handed out in its turn.
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
