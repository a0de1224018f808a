import type { Random } from './random.ts'
import { sha256 } from '../hash/sha256.ts'

/**
 * A random source with the same numbers for the same seed on every machine (xoshiro128**; the seed is hashed, so that similar seeds give unrelated
 * numbers).
 *
 * @example
 * ```ts
 * import { seededRandom } from 'mandate/testing'
 * seededRandom('a').next() === seededRandom('a').next() // true
 * ```
 */
export function seededRandom(seed: string | number): Random {
  const digest = sha256(`seed:${seed}`)
  const state = new Uint32Array([0, 8, 16, 24].map((at) => Number.parseInt(digest.slice(at, at + 8), 16)))
  const word = (): number => {
    const scrambled = Math.imul(state[1]!, 5)
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0
    const shifted = state[1]! << 9
    state[2]! ^= state[0]!
    state[3]! ^= state[1]!
    state[1]! ^= state[2]!
    state[0]! ^= state[3]!
    state[2]! ^= shifted
    state[3] = (state[3]! << 11) | (state[3]! >>> 21)
    return result
  }
  return {
    next: () => word() / 2 ** 32,
    hex(count) {
      let text = ''
      while (text.length < count * 2) text += word().toString(16).padStart(8, '0')
      return text.slice(0, count * 2)
    },
  }
}
