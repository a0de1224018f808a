/**
 * `a % b`. V8 calls a slow routine for numbers that are not known to be small integers. For positive integers
 * whose sum is exact, the quotient cannot round up to the next integer, so this formula is equal.
 */
export function remainder(a: number, b: number): number {
  // A separate branch for small integers, so that its type feedback is not polluted by other numbers.
  if ((a | 0) === a && (b | 0) === b && a > 0 && b > 0) return (a | 0) % (b | 0)
  if (a > 0 && b > 0 && a + b <= Number.MAX_SAFE_INTEGER && Math.floor(a) === a && Math.floor(b) === b)
    return a - b * Math.floor(a / b)
  return a % b
}
