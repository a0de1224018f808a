import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import type { ReactNode } from 'react'
import { runPath } from '../../api/client.ts'
import { PLACE } from '../../api/place.ts'
import { runStore } from '../../journal/run-store.ts'
import type { RunStore } from '../../journal/run-store.ts'
import { count, duration, exact, money, timeOf, visible } from '../../parts/format.ts'
import { word } from '../../parts/commands.ts'
import { Status } from '../../parts/status.tsx'
import { ChildLink } from './child-link.tsx'
import { RunTexts } from './run-texts.tsx'
import styles from './run.module.css'

interface HeadProps {
  readonly root: RunStore
  readonly run: RunStore
  /** Opens another run of the same tree. */
  readonly up: (runId: string) => void
  /** Number of effects that did not succeed. */
  readonly problems: number
  /** Selects the first of them. */
  readonly toProblem: () => void
  readonly isFollowing: boolean
  readonly follow: () => void
  readonly fork: () => void
  readonly replay: () => void
  /** Asks whether to cancel the run; undefined where it has ended. */
  readonly cancel: (() => void) | undefined
}

/** Why a run whose journal is damaged is neither replayed nor forked. */
const DAMAGED = 'The journal is damaged. Check it first.'

/** The name of the run, its state and its cost, derived from its entries. */
export function RunHead({
  root,
  run,
  up,
  problems,
  toProblem,
  isFollowing,
  follow,
  fork,
  replay,
  cancel,
}: HeadProps): ReactNode {
  const { fold, runId, head, entries, connection, damage } = run
  const { start, spent } = fold
  const parent = start?.parent?.run
  const origin = start?.forkOf?.run
  return (
    <header className={styles['head']}>
      <div className={styles['crumbs']}>
        <nav aria-label="Where this run belongs" className={styles['crumbs']}>
          <Link to="/">Runs</Link>
          <span aria-hidden="true">/</span>
          {above(root, run).map((store) => (
            <Fragment key={store.runId}>
              <button type="button" className="quiet" onClick={() => up(store.runId)}>
                {visible(store.fold.start?.name ?? store.runId)}
              </button>
              <span aria-hidden="true">/</span>
            </Fragment>
          ))}
        </nav>
        <h1>
          {visible(start?.name ?? '…')} <span className="mono muted">{runId}</span>
        </h1>
      </div>
      {damage === undefined ? (
        <Status
          of={fold.suspend?.reason === 'in-doubt' ? 'doubt' : run.state}
          note={fold.suspend?.reason === 'in-doubt' ? undefined : noteOf(run)}
        />
      ) : (
        <Status of="damaged" note={`at #${damage.seq}`} />
      )}
      {connection === 'lost' ? <span className="muted">reconnecting, last entry {timeOf(fold.lastAt)}</span> : null}
      <dl className={`scroll ${styles['facts']}`}>
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
          <dd>
            {entries.length < head ? `${exact(entries.length)} of ${exact(head)}` : exact(head)}{' '}
            <a
              href={`${PLACE}${runPath(runId, '/export')}`}
              download
              title={`The whole journal as a file, as with: mandate export ${word(runId)}`}
            >
              export
            </a>
          </dd>
        </div>
        {parent === undefined || root !== run ? null : (
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
              <ChildLink runId={origin}>{origin}</ChildLink>{' '}
              <Link to="/compare" search={{ a: origin, b: runId }}>
                compare
              </Link>
            </dd>
          </div>
        )}
      </dl>
      {problems === 0 ? null : (
        <button type="button" className={styles['problems']} onClick={toProblem}>
          {problems} {problems === 1 ? 'problem' : 'problems'} <kbd>n</kbd>
        </button>
      )}
      <div className={`line ${styles['actions']}`}>
        {connection === 'over' ? null : (
          <button type="button" aria-pressed={isFollowing} onClick={follow}>
            follow <kbd>.</kbd>
          </button>
        )}
        {cancel === undefined ? null : (
          <button type="button" className="danger" onClick={cancel} title="Ends the run, after a question.">
            cancel <kbd>X</kbd>
          </button>
        )}
        <button
          type="button"
          onClick={replay}
          disabled={damage !== undefined}
          title={damage === undefined ? 'Verifies the run from its journal. Performs nothing, costs nothing.' : DAMAGED}
        >
          replay <kbd>r</kbd>
        </button>
        <button
          type="button"
          onClick={fork}
          disabled={damage !== undefined}
          title={
            damage === undefined ? 'Makes a new run from the selected entry. It performs effects and spends.' : DAMAGED
          }
        >
          fork here <kbd>f</kbd>
        </button>
      </div>
      <RunTexts run={run} />
    </header>
  )
}

/** Returns the runs from the run in the address down to the viewed run, outermost first. */
function above(root: RunStore, run: RunStore): readonly RunStore[] {
  const found: RunStore[] = []
  for (let store = run; store !== root && found.length < 32;) {
    const parent = store.fold.start?.parent?.run
    store = parent === undefined ? root : runStore(parent)
    found.unshift(store)
  }
  return found
}

/** Returns the reason why the run is suspended, or its error code. */
function noteOf({ fold, isPartial }: RunStore): string | undefined {
  return isPartial ? undefined : (fold.suspend?.reason ?? fold.end?.error?.code)
}
