import type { RunStore } from '../../journal/run-store.ts'
import { isProblem } from '../../journal/timeline-rows.ts'
import type { Row, RowStatus } from '../../journal/timeline-rows.ts'
import { searchedText } from './row-text.ts'

/** A visible line of the timeline: a row of the run, or of a child run. */
export interface Line {
  readonly id: string
  readonly run: RunStore
  readonly row: Row
  /** The groups above the row that contain only this row. They share its line, outermost first. */
  readonly chain: readonly Row[]
  readonly depth: number
  /** Undefined if there is nothing to expand. */
  readonly isOpen: boolean | undefined
}

/** The collapsed groups and the expanded child runs, by line id. */
export interface Folding {
  readonly closed: ReadonlySet<string>
  readonly opened: ReadonlySet<string>
}

const RUN_KINDS: ReadonlySet<string> = new Set(['agent', 'program', 'cell', 'graph'])

/** Whether the row is a call with a child run. */
export function hasRun({ kind, verdict }: Row): boolean {
  return kind !== undefined && RUN_KINDS.has(kind) && verdict !== 'deny' && verdict !== 'kill'
}

export function lineId(run: RunStore, row: Row): string {
  return `${run.runId} ${row.key}`
}

/** Cache of the line of each row. Line objects are reused while their position is unchanged, so that long runs are not rendered again for each entry. */
const made = new WeakMap<Row, Line>()

function lineOf(line: Omit<Line, 'id'>): Line {
  const before = made.get(line.row)
  const isSame =
    before !== undefined &&
    before.run === line.run &&
    before.depth === line.depth &&
    before.isOpen === line.isOpen &&
    before.chain.length === line.chain.length
  if (isSame) return before
  const next = { ...line, id: before?.run === line.run ? before.id : lineId(line.run, line.row) }
  made.set(line.row, next)
  return next
}

/** Returns all visible lines. Child runs are loaded when they are expanded. */
export function linesOf(run: RunStore, folding: Folding, base = 0): Line[] {
  const lines: Line[] = []
  const walk = (rows: readonly Row[], depth: number): void => {
    for (const top of rows) {
      const { row, chain } = chained(top)
      const isGroup = row.children.length > 0
      const isNested = !isGroup && hasRun(row)
      const isOpen = isGroup
        ? !folding.closed.has(lineId(run, row))
        : isNested
          ? folding.opened.has(lineId(run, row))
          : undefined
      lines.push(lineOf({ run, row, chain, depth, isOpen }))
      if (isOpen !== true) continue
      if (isGroup) walk(row.children, depth + 1)
      else for (const line of linesOf(run.child(row.key), folding, depth + 1)) lines.push(line)
    }
  }
  walk(run.rows.roots, base)
  return lines
}

const ALONE: readonly Row[] = []

/**
 * Collapses a chain of groups with a single member into one line, starting at the given row. A group with one effect stays a group; nested groups around one
 * member share a line.
 */
function chained(top: Row): Pick<Line, 'row' | 'chain'> {
  if (!isGroupOfOne(top)) return { row: top, chain: ALONE }
  const chain: Row[] = []
  let row = top
  while (isGroupOfOne(row) && (isGroupOfOne(row.children[0]!) || chain.length > 0)) {
    chain.push(row)
    row = row.children[0]!
  }
  return { row, chain }
}

function isGroupOfOne({ kind, children }: Row): boolean {
  return kind === undefined && children.length === 1
}

/** Returns the folding that expands everything above a level. */
export function foldingAt(run: RunStore, level: number): Folding {
  const closed = new Set<string>()
  const opened = new Set<string>()
  const walk = (store: RunStore, rows: readonly Row[], depth: number): void => {
    for (const { row } of rows.map(chained)) {
      const id = lineId(store, row)
      const isAbove = depth < level
      if (row.children.length > 0) {
        if (!isAbove) closed.add(id)
        walk(store, row.children, depth + 1)
      } else if (hasRun(row) && isAbove) {
        opened.add(id)
        const child = store.child(row.key)
        walk(child, child.rows.roots, depth + 1)
      }
    }
  }
  walk(run, run.rows.roots, 0)
  return { closed, opened }
}

/** Returns the status of a line. An unfinished effect of a suspended run waits; the outcome of an unfinished effect of an ended run is unknown. */
export function statusOf({ row, run }: Pick<Line, 'row' | 'run'>): RowStatus {
  if (row.status !== 'running' || run.state === 'running') return row.status
  return run.state === 'suspended' ? 'waits' : 'unknown'
}

/** Returns the lines that match all words of a filter, in their name, input, text or status. */
export function matching(lines: readonly Line[], filter: string): readonly Line[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return lines
  return lines.filter(({ row }) =>
    words.every((word) =>
      word === 'error' ? isProblem(row) : searchedText(row).includes(word) || row.status.includes(word),
    ),
  )
}
