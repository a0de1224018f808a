/** A share of successes with its 95 % confidence interval. */
export interface SuccessRate {
  readonly passed: number
  readonly attempts: number
  readonly rate: number
  /** Bounds of the Wilson score interval, which stays meaningful for few attempts and for shares of 0 and 1. */
  readonly low: number
  readonly high: number
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959963984540054

/** Computes the share of successes with its Wilson score interval; without attempts, the interval is 0 to 1. */
export function successRate(passed: number, attempts: number): SuccessRate {
  if (attempts === 0) return { passed, attempts, rate: 0, low: 0, high: 1 }
  const rate = passed / attempts
  const z2 = Z * Z
  const scale = 1 + z2 / attempts
  const centre = (rate + z2 / (2 * attempts)) / scale
  const spread = (Z / scale) * Math.sqrt((rate * (1 - rate)) / attempts + z2 / (4 * attempts * attempts))
  // Rounding errors must not move the bounds outside of the possible shares.
  const low = passed === 0 ? 0 : Math.max(0, centre - spread)
  const high = passed === attempts ? 1 : Math.min(1, centre + spread)
  return { passed, attempts, rate, low, high }
}
