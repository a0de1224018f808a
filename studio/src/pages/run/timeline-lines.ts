import type { RunStore } from '../../journal/run-store.ts'
import type { Row, RowStatus } from '../../journal/timeline-rows.ts'

/** A line of the timeline as it stands: a row of the run, or of a run that one of its calls started. */
export interface Line {
  readonly id: string
  readonly run: RunStore
  readonly row: Row
  readonly depth: number
  /** Undefined where there is nothing to open. */
  readonly isOpen: boolean | undefined
}

/** Which groups were closed and which runs of calls were opened, by the ids of their lines. */
export interface Folding {
  readonly closed: ReadonlySet<string>
  readonly opened: ReadonlySet<string>
}

const RUN_KINDS: ReadonlySet<string> = new Set(['agent', 'program', 'cell', 'graph'])

/** Whether the row is a call that has a run of its own. */
export function hasRun({ kind, verdict }: Row): boolean {
  return kind !== undefined && RUN_KINDS.has(kind) && verdict !== 'deny' && verdict !== 'kill'
}

export function lineId(run: RunStore, row: Row): string {
  return `${run.runId} ${row.key}`
}

/** All lines that are to be seen. Runs of calls are loaded when they are opened. */
export function linesOf(run: RunStore, folding: Folding, base = 0): Line[] {
  const lines: Line[] = []
  const walk = (rows: readonly Row[]): void => {
    for (const row of rows) {
      const id = lineId(run, row)
      const depth = base + row.depth
      const isGroup = row.children.length > 0
      const isNested = !isGroup && hasRun(row)
      const isOpen = isGroup ? !folding.closed.has(id) : isNested ? folding.opened.has(id) : undefined
      lines.push({ id, run, row, depth, isOpen })
      if (isOpen !== true) continue
      if (isGroup) walk(row.children)
      else lines.push(...linesOf(run.child(row.key), folding, depth + 1))
    }
  }
  walk(run.rows.roots)
  return lines
}

/** Everything open, or only the lines above a level. */
export function foldingAt(run: RunStore, level: number): Folding {
  const closed = new Set<string>()
  const opened = new Set<string>()
  const walk = (store: RunStore, rows: readonly Row[], base: number): void => {
    for (const row of rows) {
      const id = lineId(store, row)
      const isAbove = base + row.depth < level
      if (row.children.length > 0) {
        if (!isAbove) closed.add(id)
        walk(store, row.children, base)
      } else if (hasRun(row) && isAbove) {
        opened.add(id)
        const child = store.child(row.key)
        walk(child, child.rows.roots, base + row.depth + 1)
      }
    }
  }
  walk(run, run.rows.roots, 0)
  return { closed, opened }
}

/** How a line stands. What has not ended in a run that is suspended waits with it; where the run is over, nobody knows how it came out. */
export function statusOf({ row, run }: Pick<Line, 'row' | 'run'>): RowStatus {
  if (row.status !== 'running' || run.state === 'running') return row.status
  return run.state === 'suspended' ? 'waits' : 'unknown'
}

const PROBLEMS: ReadonlySet<string> = new Set(['failed', 'denied', 'doubt', 'unknown'])

export function isProblem({ kind, status }: Row): boolean {
  return kind !== undefined && PROBLEMS.has(status)
}

export function matching(lines: readonly Line[], filter: string): readonly Line[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return lines
  return lines.filter(({ row }) =>
    words.every((word) =>
      word === 'error'
        ? isProblem(row)
        : `${row.kind}:${row.name} ${row.key} ${row.status}`.toLowerCase().includes(word),
    ),
  )
}
