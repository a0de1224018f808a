import { systemNumber } from './system-number.ts'

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
  next: systemNumber,
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
