import type { ReactNode } from 'react'
import type { RunStore } from '../../journal/run-store.ts'
import { count, duration, money, timeOf } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { ChildLink } from './child-link.tsx'
import styles from './run.module.css'

interface HeadProps {
  readonly run: RunStore
  readonly isFollowing: boolean
  readonly follow: () => void
  readonly fork: () => void
  readonly replay: () => void
}

/** What the run is, how it stands and what it spent, as its entries say. */
export function RunHead({ run, isFollowing, follow, fork, replay }: HeadProps): ReactNode {
  const { fold, runId, head, entries, connection } = run
  const { start, spent } = fold
  const parent = start?.parent?.run
  const origin = start?.forkOf?.run
  return (
    <header className={styles['head']}>
      <h1>
        {start?.name ?? '…'} <span className="mono muted">{runId}</span>
      </h1>
      <Status of={fold.state} note={fold.suspend?.reason} />
      {connection === 'lost' ? <span className="muted">reconnecting, last entry {timeOf(fold.lastAt)}</span> : null}
      <dl className={styles['facts']}>
        <div>
          <dt>took</dt>
          <dd>{duration(fold.activeMs)}</dd>
        </div>
        <div>
          <dt>spent</dt>
          <dd>{money(spent.money ?? 0)}</dd>
        </div>
        <div>
          <dt>tokens</dt>
          <dd>{count(spent.totalTokens ?? 0)}</dd>
        </div>
        <div>
          <dt>entries</dt>
          <dd>{entries.length < head ? `${count(entries.length)} of ${count(head)}` : count(head)}</dd>
        </div>
        {parent === undefined ? null : (
          <div>
            <dt>part of</dt>
            <dd>
              <ChildLink runId={parent}>{parent}</ChildLink>
            </dd>
          </div>
        )}
        {origin === undefined ? null : (
          <div>
            <dt>fork of</dt>
            <dd>
              <ChildLink runId={origin}>{origin}</ChildLink>
            </dd>
          </div>
        )}
      </dl>
      <div className={`line ${styles['actions']}`}>
        {connection === 'over' ? null : (
          <button type="button" aria-pressed={isFollowing} onClick={follow}>
            follow <kbd>.</kbd>
          </button>
        )}
        <button
          type="button"
          onClick={replay}
          title="Verifies the run from its journal. Performs nothing, costs nothing."
        >
          replay <kbd>r</kbd>
        </button>
        <button
          type="button"
          onClick={fork}
          title="Makes a new run from the selected entry. It performs effects and spends."
        >
          fork here <kbd>f</kbd>
        </button>
      </div>
    </header>
  )
}
