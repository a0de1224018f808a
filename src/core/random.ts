import { sha256 } from './sha256.ts'

/** Randomness, injected. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** `count` random bytes as hex digits. */
  hex(count: number): string
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Asking the platform costs more than the bytes do, so they are fetched a pool at a time. */
const pool = new Uint8Array(4096)
let used = pool.length

function nextByte(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const byte = pool[used]!
  pool[used++] = 0
  return byte
}

/** The platform's generator. */
export const systemRandom: Random = {
  next: () => (nextByte() * 2 ** 24 + nextByte() * 2 ** 16 + nextByte() * 2 ** 8 + nextByte()) / 2 ** 32,
  hex(count) {
    if (count <= pool.length - used && view?.hexSlice !== undefined) return nextHex(count)
    let text = ''
    for (let i = 0; i < count; i++) text += HEX[nextByte()]!
    return text
  },
}

/** Where the platform writes bytes as text itself, that takes a third of the time, and every entry has a salt. */
const view: { hexSlice?: (from: number, to: number) => string } | undefined = (
  globalThis as { Buffer?: { from(bytes: ArrayBufferLike): object } }
).Buffer?.from(pool.buffer)

function nextHex(count: number): string {
  const text = view!.hexSlice!(used, used + count)
  pool.fill(0, used, used + count)
  used += count
  return text
}

/**
 * The same seed gives the same numbers on every machine (xoshiro128**, seeded by hashing, so that near seeds are far apart).
 *
 * @example
 * ```ts
 * import { seededRandom } from 'mandate'
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
