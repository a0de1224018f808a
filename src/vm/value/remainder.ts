/**
 * `a % b`. The platform calls a slow routine for numbers that it does not know to be small. For whole numbers above 0
 * whose sum is exact, the quotient cannot round up to the next whole number, so this way gives the same.
 */
export function remainder(a: number, b: number): number {
  // A place of its own for small numbers: what other numbers passed through the places below leaves no mark on it.
  if ((a | 0) === a && (b | 0) === b && a > 0 && b > 0) return (a | 0) % (b | 0)
  if (a > 0 && b > 0 && a + b <= Number.MAX_SAFE_INTEGER && Math.floor(a) === a && Math.floor(b) === b)
    return a - b * Math.floor(a / b)
  return a % b
}
