import { memo } from 'react'
import type { ReactNode } from 'react'
import { count, duration, money, visible } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { rowText } from './row-text.ts'
import { hasRun, statusOf } from './timeline-lines.ts'
import type { Line } from './timeline-lines.ts'
import type { TimeWindow } from './time-window.ts'
import styles from './timeline-tab.module.css'

/** Single calls cost little: all lines are written with as many digits as those need. */
const COST_DIGITS = 4

interface RowProps {
  readonly line: Line
  /** Another one when what the line shows has changed: lines themselves stay the same. */
  readonly stamp: string
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
  readonly shown: TimeWindow
  /** Where a moment is on the axis. */
  readonly place: (at: number) => number
  /** How much of a time something was under way. */
  readonly worked: (from: number, to: number) => number
  readonly select: (line: Line) => void
  readonly toggle: (line: Line) => void
}

/** What a line shows that changes while it stays where it is. */
export function stampOf({ run, row }: Line): string {
  const { children } = row.parent ?? { children: run.rows.roots }
  const isOver = row.endedAt !== undefined
  return `${row.lastSeq} ${run.state} ${isOver ? row.endedAt : run.fold.lastAt} ${run.state === 'running' ? '' : children.length}`
}

/** Made again when something of its own has changed, and when the axis does; not for what comes elsewhere, and not when the view is scrolled. */
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
      // While more may come nobody knows how many there are; all lines would be made again for each.
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

/** How long it took. What waited in between says so under the pointer. */
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
