import type { ReactNode } from 'react'
import { count, duration, money, visible } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { hasRun, statusOf } from './timeline-lines.ts'
import type { Line } from './timeline-lines.ts'
import type { TimeWindow } from './time-window.ts'
import styles from './timeline-tab.module.css'

interface RowProps {
  readonly line: Line
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
  readonly shown: TimeWindow
  readonly select: () => void
  readonly toggle: () => void
}

export function TimelineRow({ line, index, top, isSelected, shown, select, toggle }: RowProps): ReactNode {
  const { row, depth, isOpen } = line
  const siblings = row.parent?.children ?? line.run.rows.roots
  return (
    <div
      id={`row-${index}`}
      role="treeitem"
      aria-level={depth + 1}
      aria-setsize={siblings.length}
      aria-posinset={row.place + 1}
      aria-selected={isSelected}
      aria-expanded={isOpen}
      className={styles['row']}
      data-status={statusOf(line)}
      style={{ transform: `translateY(${top}px)` }}
      onClick={select}
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
            toggle()
          }}
        >
          {isOpen === undefined ? '' : isOpen ? '▾' : '▸'}
        </button>
        {row.kind === undefined ? null : <span className={styles['kind']}>{row.kind}</span>}
        <span className={styles['name']}>{visible(row.name)}</span>
        {hasRun(row) && isOpen === false ? <span className={styles['nested']}>run</span> : null}
        {row.isLabelled ? (
          <span className={styles['mark']} title="Its input was made from untrusted data">
            ◆<span className="hidden-visually">made from untrusted data</span>
          </span>
        ) : null}
        {row.attempts > 1 ? <span className="muted">×{row.attempts}</span> : null}
      </span>
      <span className={styles['spent']}>{money(row.spent.money)}</span>
      <span className={styles['spent']}>{row.spent.totalTokens === undefined ? '' : count(row.spent.totalTokens)}</span>
      <span className={styles['spent']}>{row.endedAt === undefined ? '' : duration(row.endedAt - row.startedAt)}</span>
      <span>
        <Status of={statusOf(line)} />
      </span>
      <Lane line={line} shown={shown} />
    </div>
  )
}

function Lane({ line: { row, run }, shown }: { readonly line: Line; readonly shown: TimeWindow }): ReactNode {
  const span = Math.max(1, shown.to - shown.from)
  const end = row.endedAt ?? run.fold.lastAt
  return (
    <span className={styles['lane']} aria-hidden="true">
      <span
        className={styles['bar']}
        data-status={statusOf({ row, run })}
        style={{
          left: `min(calc(100% - 3px), ${((row.startedAt - shown.from) / span) * 100}%)`,
          width: `max(3px, ${((end - row.startedAt) / span) * 100}%)`,
        }}
      />
    </span>
  )
}
