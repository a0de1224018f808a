/** Numbers are fetched in pools, because each request to the platform costs more than the numbers. */
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
