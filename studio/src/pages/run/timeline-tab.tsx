import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { RunStore } from '../../journal/run-store.ts'
import { isProblem } from '../../journal/timeline-rows.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { duration } from '../../parts/format.ts'
import { useNarrow } from '../../parts/use-narrow.ts'
import { useEndInSight, useScrolledToEnd } from '../../parts/use-scrolled-to.ts'
import { NoMatch } from './no-match.tsx'
import { foldingAt, hasRun, linesOf, matching } from './timeline-lines.ts'
import type { Folding, Line } from './timeline-lines.ts'
import { panned, stepped, ticksOf, within, zoomed } from './time-window.ts'
import type { TimeWindow } from './time-window.ts'
import { TimeScale, idlesOf } from './time-scale.ts'
import { TimelineRow, stampOf } from './timeline-row.tsx'
import { Waterfall } from './waterfall.tsx'
import type { TabProps } from './run.tsx'
import styles from './timeline-tab.module.css'

const ROW_HEIGHT = 28
/** The sticky head above the rows. In a narrow window it has no strip of the whole run. */
const HEAD_HEIGHT = 48
const NARROW_HEAD_HEIGHT = 24
const NONE: Folding = { closed: new Set(), opened: new Set() }
const ALL_LEVELS = 100
/** Number of lines before the end of the loaded ones at which more are loaded. */
const NEAR = 100

/** The effects of a run as a tree with their durations. Child runs expand in place. */
export function TimelineTab({ root, run, at, filter, select, isFollowing, isSelected }: TabProps): ReactNode {
  const [folding, setFolding] = useState<Folding>(NONE)
  const [view, setView] = useState<TimeWindow>()
  const box = useRef<HTMLDivElement>(null)
  const headHeight = useNarrow() ? NARROW_HEAD_HEIGHT : HEAD_HEIGHT
  // Memoized, because scrolling renders on every frame.
  const version = root.version()
  const all = useMemo(() => linesOf(root, folding), [root, version, folding])
  const lines = useMemo(() => matching(all, filter), [all, filter])
  const selected = isSelected ? run.rows.atSeq(at) : undefined
  const index = useMemo(
    () => (selected === undefined ? -1 : lines.findLastIndex((line) => line.row === selected && line.run === run)),
    [lines, selected, run],
  )
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  })
  useEndInSight(list, isFollowing)
  const items = list.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useMore(run, { lastShown, count: lines.length, filter })
  useSteadyScroll(list, { index, isFollowing, id: lines[index]?.id })
  useScrolledToEnd(box, lines.length, isFollowing)
  const scale = useScale(root)
  const { place, worked } = scale
  const axis = useAxis(root, scale)
  const shown = view ?? axis
  // Stable functions, so that rows are not rendered again while scrolling.
  const toggle = useCallback((line: Line): void => setFolding((before) => toggled(before, line)), [])
  const go = useCallback((line: Line | undefined): void => line && select(line.row.lastSeq, line.run.runId), [select])
  useTimelineKeys({
    lines,
    index,
    all: axis,
    shown,
    place,
    setView,
    go,
    toggle,
    expand: (level) => setFolding(foldingAt(root, level)),
  })
  return (
    <div ref={box} className={styles['box']}>
      <TimelineHead lines={lines} all={axis} shown={shown} scale={scale} show={setView} />
      <div
        role="tree"
        aria-label="Effects of the run"
        tabIndex={0}
        aria-activedescendant={index < 0 ? undefined : `row-${index}`}
        onKeyDown={(event) => onTreeKey(event, { lines, index, go, toggle })}
        className={styles['tree']}
        style={{ height: list.getTotalSize() }}
      >
        {items.map((item) => (
          <TimelineRow
            key={lines[item.index]!.id}
            line={lines[item.index]!}
            stamp={stampOf(lines[item.index]!)}
            index={item.index}
            top={item.start - headHeight}
            isSelected={item.index === index}
            shown={shown}
            place={place}
            worked={worked}
            select={go}
            toggle={toggle}
          />
        ))}
      </div>
      {lines.length > 0 || !root.isLoaded ? null : filter === '' ? (
        <p className={styles['none']}>Nothing has happened yet.</p>
      ) : (
        <NoMatch of={all.length} things="effects" filter={filter} />
      )}
    </div>
  )
}

interface HeadProps {
  readonly lines: readonly Line[]
  readonly all: TimeWindow
  readonly shown: TimeWindow
  readonly scale: TimeScale
  readonly show: (shown: TimeWindow | undefined) => void
}

/** Ticks beyond this share of the axis would be cut off at its end. */
const LAST_TICK = 0.8

/** The column heads, and a strip of the whole run with the time axis of the lanes. */
const TimelineHead = memo(function TimelineHead({ lines, all, shown, scale, show }: HeadProps): ReactNode {
  const span = Math.max(1, shown.to - shown.from)
  return (
    <div className={styles['head']} aria-hidden="true">
      <span>Effect</span>
      <span className={styles['spent']}>Cost</span>
      <span className={styles['spent']}>Tokens</span>
      <span className={styles['spent']}>Took</span>
      <span className={styles['outcome']}>
        <span>whole run</span>
        <span>Outcome</span>
      </span>
      <span className={styles['axis']}>
        <Waterfall lines={lines} all={all} shown={shown} place={scale.place} show={show} />
        {ticksOf(shown, 4)
          .filter((tick) => (tick - shown.from) / span <= LAST_TICK)
          .map((tick) => (
            <span key={tick} className={styles['tick']} style={{ left: `${((tick - shown.from) / span) * 100}%` }}>
              {duration(tick - all.from)}
            </span>
          ))}
        {scale.idles.map(({ from, to }) => (
          <span
            key={from}
            className={styles['idle']}
            title={`Nothing happened for ${duration(to - from)}`}
            style={{
              left: `${((scale.place(from) - shown.from) / span) * 100}%`,
              width: `max(2px, ${((scale.place(to) - scale.place(from)) / span) * 100}%)`,
            }}
          />
        ))}
      </span>
    </div>
  )
})

/** Returns the time axis of the run without its idle periods. The object is reused while its positions do not change. */
function useScale(run: RunStore): TimeScale {
  const { entries, fold } = run
  const known = useRef<TimeScale>(undefined)
  return useMemo(() => {
    const next = new TimeScale(idlesOf(entries), { from: fold.startedAt, to: fold.lastAt })
    const scale = known.current?.isLike(next) === true ? known.current : next
    known.current = scale
    return scale
  }, [run, entries.length, fold])
}

/** Returns the period from the beginning of the run to its end. While it continues, the end moves in steps, because each move redraws all lines. */
function useAxis({ fold, state }: RunStore, scale: TimeScale): TimeWindow {
  const from = scale.place(fold.startedAt)
  const span = Math.max(1, scale.place(fold.lastAt) - from)
  const to = from + (state === 'running' ? stepped(span) : span)
  return useMemo(() => ({ from, to }), [from, to])
}

/** Loads more of a long run when the last loaded lines are near. With a filter, all lines may be visible, so a button loads more instead. */
function useMore(
  run: RunStore,
  { lastShown, count, filter }: { readonly lastShown: number; readonly count: number; readonly filter: string },
): void {
  const isNear = filter === '' && run.isMore && lastShown >= count - NEAR
  const loaded = run.entries.length
  useEffect(() => {
    if (isNear) run.want(loaded + 1)
  }, [run, isNear, loaded])
}

/** Scrolls to the selected line when the selection changes. */
function useSteadyScroll(
  list: { scrollToIndex(index: number, options: { align: 'auto' }): void },
  { index, isFollowing, id }: { index: number; isFollowing: boolean; id: string | undefined },
): void {
  useEffect(() => {
    if (!isFollowing && index >= 0) list.scrollToIndex(index, { align: 'auto' })
    // eslint-disable-next-line react/exhaustive-deps -- only another selection moves the view, not lines that come above it.
  }, [id, isFollowing])
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
  readonly place: (at: number) => number
  readonly setView: (shown: TimeWindow | undefined) => void
  readonly expand: (level: number) => void
}

function useTimelineKeys({ lines, index, go, toggle, all, shown, place, setView, expand }: TimelineKeys): void {
  const row = lines[index]?.row
  const from = row === undefined ? shown.from : place(row.startedAt)
  const to = row === undefined ? shown.to : row.endedAt === undefined ? all.to : place(row.endedAt)
  const middle = (from + to) / 2
  const problem = (by: 1 | -1): void => {
    const start = index < 0 && by < 0 ? lines.length : index
    for (let at = start + by; at >= 0 && at < lines.length; at += by)
      if (isProblem(lines[at]!.row)) return go(lines[at])
  }
  const fit = (): void => {
    if (row === undefined) return setView(undefined)
    const span = Math.max(1, (to - from) * 1.2)
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
