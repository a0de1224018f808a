import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { duration } from '../../parts/format.ts'
import { foldingAt, hasRun, isProblem, linesOf, matching } from './timeline-lines.ts'
import type { Folding, Line } from './timeline-lines.ts'
import { panned, ticksOf, within, zoomed } from './time-window.ts'
import type { TimeWindow } from './time-window.ts'
import { TimelineRow } from './timeline-row.tsx'
import { Waterfall } from './waterfall.tsx'
import type { TabProps } from './run.tsx'
import styles from './timeline-tab.module.css'

const ROW_HEIGHT = 28
const NONE: Folding = { closed: new Set(), opened: new Set() }
const ALL_LEVELS = 100

/** The effects of a run as a tree, each with the time it took. Runs of its calls open in place. */
export function TimelineTab({ root, run, at, filter, select, isFollowing }: TabProps): ReactNode {
  const [folding, setFolding] = useState<Folding>(NONE)
  const [view, setView] = useState<TimeWindow>()
  const box = useRef<HTMLDivElement>(null)
  const lines = matching(linesOf(root, folding), filter)
  const selected = run.rows.atSeq(at)
  const index = lines.findIndex((line) => line.row === selected && line.run === run)
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    // The head stays where it is, and covers what is under it.
    scrollPaddingStart: 48,
  })
  useSteadyScroll(list, { index, isFollowing, last: lines.length - 1, id: lines[index]?.id })
  const all: TimeWindow = { from: root.fold.startedAt, to: Math.max(root.fold.lastAt, root.fold.startedAt + 1) }
  const shown = view ?? all
  const toggle = (line: Line): void => setFolding(toggled(folding, line))
  const go = (line: Line | undefined): void => line && select(line.row.lastSeq, line.run.runId)
  useTimelineKeys({
    lines,
    index,
    all,
    shown,
    setView,
    go,
    toggle,
    expand: (level) => setFolding(foldingAt(root, level)),
  })
  return (
    <div ref={box} className={styles['box']}>
      <Head lines={lines} all={all} shown={shown} show={setView} />
      <div
        role="tree"
        aria-label="Effects of the run"
        tabIndex={0}
        aria-activedescendant={index < 0 ? undefined : `row-${index}`}
        onKeyDown={(event) => onTreeKey(event, { lines, index, go, toggle })}
        className={styles['tree']}
        style={{ height: list.getTotalSize() }}
      >
        {list.getVirtualItems().map((item) => (
          <TimelineRow
            key={lines[item.index]!.id}
            line={lines[item.index]!}
            index={item.index}
            top={item.start}
            isSelected={item.index === index}
            shown={shown}
            select={() => go(lines[item.index])}
            toggle={() => toggle(lines[item.index]!)}
          />
        ))}
      </div>
      {lines.length === 0 && root.isLoaded ? (
        <p className={styles['none']}>{filter === '' ? 'Nothing has happened yet.' : `No effect matches ${filter}.`}</p>
      ) : null}
    </div>
  )
}

interface HeadProps {
  readonly lines: readonly Line[]
  readonly all: TimeWindow
  readonly shown: TimeWindow
  readonly show: (shown: TimeWindow | undefined) => void
}

/** What the columns are, and the whole run in one strip with the times of what the lanes show. */
function Head({ lines, all, shown, show }: HeadProps): ReactNode {
  const span = Math.max(1, shown.to - shown.from)
  return (
    <div className={styles['head']} aria-hidden="true">
      <span>Effect</span>
      <span className={styles['spent']}>Cost</span>
      <span className={styles['spent']}>Tokens</span>
      <span className={styles['spent']}>Took</span>
      <span>Outcome</span>
      <span className={styles['axis']}>
        <Waterfall lines={lines} all={all} shown={shown} show={show} />
        {ticksOf(shown, 4).map((tick) => (
          <span key={tick} className={styles['tick']} style={{ left: `${((tick - shown.from) / span) * 100}%` }}>
            {duration(tick - all.from)}
          </span>
        ))}
      </span>
    </div>
  )
}

/** Goes to the selected line when somebody selects one, and to the last line while following. Nothing else moves the view. */
function useSteadyScroll(
  list: { scrollToIndex(index: number, options: { align: 'auto' | 'end' }): void },
  { index, isFollowing, last, id }: { index: number; isFollowing: boolean; last: number; id: string | undefined },
): void {
  useEffect(() => {
    if (!isFollowing && index >= 0) list.scrollToIndex(index, { align: 'auto' })
    // eslint-disable-next-line react/exhaustive-deps -- only another selection moves the view, not lines that come above it.
  }, [id, isFollowing])
  useEffect(() => {
    if (isFollowing && last >= 0) list.scrollToIndex(last, { align: 'end' })
  }, [list, last, isFollowing])
}

interface TreeKeys {
  readonly lines: readonly Line[]
  readonly index: number
  readonly go: (line: Line | undefined) => void
  readonly toggle: (line: Line) => void
}

function onTreeKey(event: KeyboardEvent, { lines, index, go, toggle }: TreeKeys): void {
  if (event.shiftKey) return
  const line = lines[index]
  if (event.key === 'ArrowDown') go(lines[index + 1])
  else if (event.key === 'ArrowUp') go(lines[Math.max(0, index - 1)])
  else if (event.key === 'Home') go(lines[0])
  else if (event.key === 'End') go(lines.at(-1))
  else if (event.key === 'ArrowRight' && line?.isOpen === false) toggle(line)
  else if (event.key === 'ArrowRight' && line?.isOpen === true) go(lines[index + 1])
  else if (event.key === 'ArrowLeft' && line !== undefined) {
    if (line.isOpen === true) toggle(line)
    else go(lines.slice(0, index).findLast(({ depth }) => depth < line.depth))
  } else return
  event.preventDefault()
}

interface TimelineKeys extends TreeKeys {
  readonly all: TimeWindow
  readonly shown: TimeWindow
  readonly setView: (shown: TimeWindow | undefined) => void
  readonly expand: (level: number) => void
}

function useTimelineKeys({ lines, index, go, toggle, all, shown, setView, expand }: TimelineKeys): void {
  const row = lines[index]?.row
  const middle = row === undefined ? (shown.from + shown.to) / 2 : (row.startedAt + (row.endedAt ?? all.to)) / 2
  const problem = (by: 1 | -1): void => {
    for (let place = index + by; place >= 0 && place < lines.length; place += by)
      if (isProblem(lines[place]!.row)) return go(lines[place])
  }
  const fit = (): void => {
    if (row === undefined) return setView(undefined)
    const span = Math.max(1, ((row.endedAt ?? all.to) - row.startedAt) * 1.2)
    const wanted = within(middle - span / 2, Math.min(span, all.to - all.from), all)
    const isFitted = Math.abs(wanted.from - shown.from) < 0.01 && Math.abs(wanted.to - shown.to) < 0.01
    setView(isFitted ? undefined : wanted)
  }
  useShortcuts({
    expandAll: () => expand(ALL_LEVELS),
    collapseAll: () => expand(0),
    level: (key) => expand(Number(key)),
    nested: () => lines[index] !== undefined && hasRun(lines[index].row) && toggle(lines[index]),
    nextError: () => problem(1),
    previousError: () => problem(-1),
    zoomIn: () => setView(zoomed(shown, all, 1 / 2, middle)),
    zoomOut: () =>
      setView(shown.to - shown.from >= (all.to - all.from) / 2 ? undefined : zoomed(shown, all, 2, middle)),
    panLeft: () => setView(panned(shown, all, -1)),
    panRight: () => setView(panned(shown, all, 1)),
    fit,
  })
}

function toggled({ closed, opened }: Folding, { id, row }: Line): Folding {
  const flip = (set: ReadonlySet<string>): ReadonlySet<string> => {
    const next = new Set(set)
    if (!next.delete(id)) next.add(id)
    return next
  }
  return row.children.length > 0 ? { closed: flip(closed), opened } : { closed, opened: flip(opened) }
}
