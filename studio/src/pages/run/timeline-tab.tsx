import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react'
import { visibleRows } from '../../journal/timeline-rows.ts'
import type { Row } from '../../journal/timeline-rows.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { count, duration, money } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import type { TabProps } from './run.tsx'
import styles from './timeline-tab.module.css'

const ROW_HEIGHT = 28
const PROBLEMS = new Set(['failed', 'denied', 'doubt', 'unknown'])

/** The effects of a run as a tree, each with the time it took. */
export function TimelineTab({ run, at, filter, select }: TabProps): ReactNode {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const [zoom, setZoom] = useState(1)
  const box = useRef<HTMLDivElement>(null)
  const rows = matching(visibleRows(run.rows.roots, closed), filter)
  const selected = run.rows.atSeq(at)
  const index = rows.findIndex((row) => row === selected)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
  })
  useEffect(() => {
    if (index >= 0) list.scrollToIndex(index, { align: 'auto' })
  }, [index, list])
  const toggle = (row: Row): void => {
    const next = new Set(closed)
    if (!next.delete(row.key)) next.add(row.key)
    setClosed(next)
  }
  const problem = (by: 1 | -1): void => {
    for (let place = index + by; place >= 0 && place < rows.length; place += by)
      if (PROBLEMS.has(rows[place]!.status)) return select(rows[place]!.lastSeq)
  }
  useShortcuts({
    expandAll: () => setClosed(new Set()),
    collapseAll: () => setClosed(new Set(run.rows.roots.map(({ key }) => key))),
    nextError: () => problem(1),
    previousError: () => problem(-1),
    zoomIn: () => setZoom(Math.min(zoom * 2, 64)),
    zoomOut: () => setZoom(Math.max(zoom / 2, 1)),
    fit: () => setZoom(1),
  })
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[index]
    const to = (place: number): void => rows[place] && select(rows[place].lastSeq)
    if (event.key === 'ArrowDown') to(index + 1)
    else if (event.key === 'ArrowUp') to(Math.max(0, index - 1))
    else if (event.key === 'Home') to(0)
    else if (event.key === 'End') to(rows.length - 1)
    else if (event.key === 'ArrowRight' && row !== undefined && closed.has(row.key)) toggle(row)
    else if (event.key === 'ArrowLeft' && row !== undefined) {
      if (row.children.length > 0 && !closed.has(row.key)) toggle(row)
      else if (row.parent !== undefined) to(rows.indexOf(row.parent))
    } else return
    event.preventDefault()
  }
  const { startedAt, lastAt } = run.fold
  const scale: Scale = { from: startedAt, span: Math.max(1, lastAt - startedAt), zoom }
  return (
    <div ref={box} className={styles['box']}>
      <div
        role="tree"
        aria-label="Effects of the run"
        tabIndex={0}
        aria-activedescendant={index < 0 ? undefined : `row-${index}`}
        onKeyDown={onKeyDown}
        className={styles['tree']}
        style={{ height: list.getTotalSize(), '--zoom': zoom } as CSSProperties}
      >
        {list.getVirtualItems().map((item) => {
          const row = rows[item.index]!
          return (
            <TimelineRow
              key={row.key}
              row={row}
              index={item.index}
              top={item.start}
              isSelected={row === selected}
              isOpen={row.children.length === 0 ? undefined : !closed.has(row.key)}
              scale={scale}
              select={() => select(row.lastSeq)}
              toggle={() => toggle(row)}
            />
          )
        })}
      </div>
      {rows.length === 0 && run.isLoaded ? (
        <p className={styles['none']}>{filter === '' ? 'Nothing has happened yet.' : `No effect matches ${filter}.`}</p>
      ) : null}
    </div>
  )
}

interface Scale {
  readonly from: number
  readonly span: number
  readonly zoom: number
}

interface RowProps {
  readonly row: Row
  readonly index: number
  readonly top: number
  readonly isSelected: boolean
  readonly isOpen: boolean | undefined
  readonly scale: Scale
  readonly select: () => void
  readonly toggle: () => void
}

function TimelineRow({ row, index, top, isSelected, isOpen, scale, select, toggle }: RowProps): ReactNode {
  const siblings = row.parent?.children
  const end = row.endedAt ?? scale.from + scale.span
  return (
    <div
      id={`row-${index}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={siblings?.length}
      aria-posinset={siblings === undefined ? undefined : siblings.indexOf(row) + 1}
      aria-selected={isSelected}
      aria-expanded={isOpen}
      className={styles['row']}
      style={{ transform: `translateY(${top}px)` }}
      onClick={select}
    >
      <span className={styles['label']} style={{ paddingLeft: `${row.depth * 1.1}rem` }}>
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
        <span className={styles['name']}>{row.name}</span>
        {row.isLabelled ? (
          <span className={styles['mark']} title="Its input was made from untrusted data">
            ◆<span className="hidden-visually">made from untrusted data</span>
          </span>
        ) : null}
        {row.attempts > 1 ? <span className="muted">×{row.attempts}</span> : null}
      </span>
      <span className={styles['spent']}>{money(row.spent.money)}</span>
      <span className={styles['spent']}>
        {row.spent.totalTokens === undefined ? '' : `${count(row.spent.totalTokens)} tok`}
      </span>
      <span className={styles['spent']}>{row.endedAt === undefined ? '' : duration(row.endedAt - row.startedAt)}</span>
      <span>
        <Status of={row.status} />
      </span>
      <span className={styles['lane']} aria-hidden="true">
        <span
          className={styles['bar']}
          data-status={row.status}
          style={{
            left: `${((row.startedAt - scale.from) / scale.span) * 100 * scale.zoom}%`,
            width: `max(3px, ${((end - row.startedAt) / scale.span) * 100 * scale.zoom}%)`,
          }}
        />
      </span>
    </div>
  )
}

function matching(rows: readonly Row[], filter: string): readonly Row[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) =>
    words.every((word) =>
      word === 'error'
        ? PROBLEMS.has(row.status)
        : `${row.kind}:${row.name} ${row.key} ${row.status}`.toLowerCase().includes(word),
    ),
  )
}
