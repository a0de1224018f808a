import { memo } from 'react'
import type { ReactNode } from 'react'
import { count, duration, money, visible } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { rowText } from './row-text.ts'
import { hasRun, statusOf } from './timeline-lines.ts'
import type { Line } from './timeline-lines.ts'
import type { TimeWindow } from './time-window.ts'
import styles from './timeline-tab.module.css'

/** Digits of costs, the same on all lines, because single calls cost little. */
const COST_DIGITS = 4

interface RowProps {
  readonly line: Line
  /** Changes when the shown content changes, because line objects are reused. */
  readonly stamp: string
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
  readonly shown: TimeWindow
  /** Returns the position of a time on the axis. */
  readonly place: (at: number) => number
  /** Returns the active time within a period. */
  readonly worked: (from: number, to: number) => number
  readonly select: (line: Line) => void
  readonly toggle: (line: Line) => void
}

/** Returns a key of the content of a line that can change while its position does not. */
export function stampOf({ run, row }: Line): string {
  const { children } = row.parent ?? { children: run.rows.roots }
  const isOver = row.endedAt !== undefined
  return `${row.lastSeq} ${run.state} ${isOver ? row.endedAt : run.fold.lastAt} ${run.state === 'running' ? '' : children.length}`
}

/** Memoized: renders when its own content or the axis changes, not for other entries or scrolling. */
export const TimelineRow = memo(function TimelineRow({
  line,
  index,
  top,
  isSelected,
  shown,
  place,
  worked,
  select,
  toggle,
}: RowProps): ReactNode {
  const { row, chain, depth, isOpen } = line
  const first = chain[0] ?? row
  const siblings = first.parent?.children ?? line.run.rows.roots
  return (
    <div
      id={`row-${index}`}
      role="treeitem"
      aria-level={depth + 1}
      // The set size is unknown while the run can add more rows; otherwise each new row would render all lines again.
      aria-setsize={line.run.state === 'running' ? -1 : siblings.length}
      aria-posinset={first.place + 1}
      aria-selected={isSelected}
      aria-expanded={isOpen}
      className={styles['row']}
      data-status={statusOf(line)}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => select(line)}
    >
      <span className={styles['label']} style={{ paddingLeft: `${depth * 1.1}rem` }}>
        <button
          type="button"
          tabIndex={-1}
          className={styles['twist']}
          aria-hidden={isOpen === undefined}
          aria-label={isOpen === true ? 'Close' : 'Open'}
          disabled={isOpen === undefined}
          onClick={(event) => {
            event.stopPropagation()
            toggle(line)
          }}
        >
          {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
        </button>
        {chain.length === 0 ? null : <span className={styles['chain']}>{visible(first.name)}</span>}
        {row.kind === undefined ? null : <span className={styles['kind']}>{row.kind}</span>}
        <span className={styles['name']}>{visible(row.name)}</span>
        {hasRun(row) && isOpen === false ? <span className={styles['nested']}>run</span> : null}
        {row.isLabelled ? (
          <span className={styles['mark']} title="Its input was made from untrusted data">
            ◆<span className="hidden-visually">made from untrusted data</span>
          </span>
        ) : null}
        {row.attempts > 1 ? <span className="muted">×{row.attempts}</span> : null}
        <span className={styles['said']}>
          <span dir="auto">{visible(rowText(row))}</span>
        </span>
      </span>
      <span className={styles['spent']}>{money(row.spent.money, COST_DIGITS)}</span>
      <span className={styles['spent']}>{row.spent.totalTokens === undefined ? '' : count(row.spent.totalTokens)}</span>
      <Took of={row} worked={worked} />
      <span>
        <Status of={statusOf(line)} isQuiet />
      </span>
      <Lane line={line} shown={shown} place={place} />
    </div>
  )
})

/** The duration of a row. The tooltip has the idle time in between. */
function Took({
  of: { startedAt, endedAt },
  worked,
}: {
  readonly of: Line['row']
  readonly worked: RowProps['worked']
}): ReactNode {
  if (endedAt === undefined) return <span className={styles['spent']} />
  const [took, lasted] = [worked(startedAt, endedAt), endedAt - startedAt]
  return (
    <span
      className={styles['spent']}
      title={took < lasted ? `${duration(lasted)} with the times in which nothing happened` : undefined}
    >
      {duration(took)}
    </span>
  )
}

function Lane({ line: { row, run }, shown, place }: Pick<RowProps, 'line' | 'shown' | 'place'>): ReactNode {
  const span = Math.max(1, shown.to - shown.from)
  const start = place(row.startedAt)
  const end = place(row.endedAt ?? run.fold.lastAt)
  return (
    <span className={styles['lane']} aria-hidden="true">
      <span
        className={`drawn ${styles['bar']}`}
        data-status={statusOf({ row, run })}
        style={{
          left: `min(calc(100% - 3px), ${((start - shown.from) / span) * 100}%)`,
          width: `max(3px, ${((end - start) / span) * 100}%)`,
        }}
      />
    </span>
  )
}
