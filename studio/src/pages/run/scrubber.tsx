import type { ReactNode } from 'react'
import { Minimap } from './minimap.tsx'
import type { TabProps } from './run.tsx'
import styles from './scrubber.module.css'

/** A slider over the entries of the run; all views show the state as of the selected entry. */
export function Scrubber({ run, at, select }: TabProps): ReactNode {
  // Includes entries that are not loaded yet; selecting one loads it.
  const { last } = run
  const step = (seq: number, sign: string, label: string): ReactNode => (
    <button
      type="button"
      className="quiet"
      aria-label={label}
      disabled={seq < 1 || seq > last || seq === at}
      onClick={() => select(seq)}
    >
      {sign}
    </button>
  )
  return (
    <div className={styles['scrubber']}>
      {step(1, '⇤', 'First entry')}
      {step(at - 1, '◀', 'Previous entry')}
      <div className={styles['range']}>
        <Minimap run={run} at={at} />
        <input
          type="range"
          min={1}
          max={Math.max(1, last)}
          value={Math.max(1, at)}
          aria-label="Entry"
          aria-valuetext={`entry ${at} of ${last}`}
          onChange={(event) => select(Number(event.target.value))}
        />
      </div>
      {step(at + 1, '▶', 'Next entry')}
      {step(last, '⇥', 'Last entry')}
      <span className="muted number">
        #{at} <span className={styles['last']}>of {last}</span>
      </span>
    </div>
  )
}
