import type { ReactNode } from 'react'
import styles from './evals.module.css'

interface RateProps {
  readonly of: {
    readonly passed: number
    readonly attempts: number
    readonly rate: number
    readonly low: number
    readonly high: number
  }
}

/** A success rate with its confidence interval, as text and as a graphic. */
export function Rate({ of: { passed, attempts, rate, low, high } }: RateProps): ReactNode {
  const percent = (share: number): string => (share * 100).toFixed(0)
  return (
    <span className={styles['rate']}>
      <span className={styles['track']} aria-hidden="true">
        <span className={styles['range']} style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
        <span className={styles['point']} style={{ left: `calc(${rate * 100}% - 1px)` }} />
      </span>
      <span>
        {percent(rate)} %{' '}
        <span className="muted">
          ({percent(low)}–{percent(high)})
        </span>
        , {passed} of {attempts}
      </span>
    </span>
  )
}
