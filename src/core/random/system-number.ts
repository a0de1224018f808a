/** Asking the platform costs more than the numbers do, so they are fetched many at a time. */
const pool = new Uint32Array(256)
let used = pool.length

/** A number in [0, 1) from the platform's generator. */
export function systemNumber(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  const word = pool[used]!
  pool[used++] = 0
  return word / 2 ** 32
}
