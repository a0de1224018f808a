import { systemNumber } from './system-number.ts'

/** An injectable random source. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** `count` random bytes as hex digits. */
  hex(count: number): string
}

/** Random bytes are fetched in pools, because each request to the platform costs more than the bytes. */
const pool = new Uint8Array(4096)
let used = pool.length

/** The platform's generator. */
export const systemRandom: Random = {
  next: systemNumber,
  hex(count) {
    if (count > pool.length) return systemRandom.hex(pool.length) + systemRandom.hex(count - pool.length)
    if (count > pool.length - used) {
      crypto.getRandomValues(pool)
      used = 0
    }
    const from = used
    used += count
    const text =
      view?.hexSlice?.(from, used) ??
      Array.from(pool.subarray(from, used), (byte) => byte.toString(16).padStart(2, '0')).join('')
    pool.fill(0, from, used)
    return text
  },
}

/** Where the platform has a hex encoder it is used: it is much faster, and every entry has a salt. */
const view: { hexSlice?: (from: number, to: number) => string } | undefined = (
  globalThis as { Buffer?: { from(bytes: ArrayBufferLike): object } }
).Buffer?.from(pool.buffer)
