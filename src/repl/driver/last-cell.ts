import type { Json } from '../../core/index.ts'
import { entriesOfType, isEnded, readAll, readStart } from '../../journal/index.ts'
import type { Journal, RunSummary } from '../../journal/index.ts'
import type { RunContext } from '../../run/index.ts'
import { recordedIn, stateOf } from '../mind/stored-variables.ts'
import type { CellInput } from '../session/session-state.ts'

/** Name of the note in which the first cell of a run records its base. */
export const BASE = 'base'

/**
 * Returns the last cell of earlier runs in the session of an agent. Forks of its runs are not part of the session; a fork itself goes on from the cells
 * before the run that it is a fork of.
 */
export async function lastCell(
  journal: Journal,
  { sessionId, agentId }: Pick<RunContext, 'sessionId' | 'agentId'>,
  run: string | undefined,
): Promise<string | null> {
  const runs = await journal.list({ sessionId, name: agentId })
  const roots = new Map(
    runs.flatMap((one) =>
      one.mind === 'agent' && one.parent === undefined ? [[one.run, one.createdAt] as const] : [],
    ),
  )
  const before = await originalStart(journal, run, roots)
  let cells = runs.filter(
    ({ mind, parent = '', state }) =>
      mind === 'cell' && isEnded(state) && roots.has(parent) && (before === undefined || roots.get(parent)! < before),
  )
  for (;;) {
    const last = await lastOf(journal, cells)
    if (last === undefined) return null
    const { parent = '' } = last
    if ((await readStart(journal, parent))?.forkOf !== undefined) cells = cells.filter((one) => one.parent !== parent)
    // A cell that was cut off may have left no state.
    else if (await leftState(journal, last.run)) return last.run
    else cells = cells.filter((one) => one !== last)
  }
}

/** When the run began that this run is a fork of; undefined if it is none. */
async function originalStart(
  journal: Journal,
  run: string | undefined,
  roots: ReadonlyMap<string, number>,
): Promise<number | undefined> {
  let origin = run
  for (let next = run; next !== undefined; next = (await readStart(journal, next))?.forkOf?.run) origin = next
  return origin === run || origin === undefined ? undefined : roots.get(origin)
}

/** The cell that was evaluated last. */
async function lastOf(journal: Journal, cells: readonly RunSummary[]): Promise<RunSummary | undefined> {
  const latest = Math.max(...cells.map(({ createdAt }) => createdAt))
  const [first, ...others] = cells.filter(({ createdAt }) => createdAt === latest)
  if (first === undefined || others.length === 0) return first
  // Of the cells that started in the same millisecond, the last is the one that is not the base of another.
  const bases = new Set(await Promise.all([first, ...others].map(({ run }) => baseOf(journal, run))))
  return [first, ...others]
    .filter(({ run }) => !bases.has(run))
    .toSorted((a, b) => (a.run < b.run ? -1 : 1))
    .at(-1)
}

async function leftState(journal: Journal, run: string): Promise<boolean> {
  const end = entriesOfType(await readAll(journal, run), 'run-end').at(-1)
  return end !== undefined && stateOf(end) !== undefined
}

/** Returns the base of a cell: from its input or, for the first cell of a run, from its note. */
async function baseOf(journal: Journal, run: string): Promise<Json | undefined> {
  const entries = await readAll(journal, run)
  const input = entriesOfType(entries, 'run-start')[0]?.data.input as Partial<CellInput> | null | undefined
  if (input?.base !== undefined) return input.base
  return recordedIn(entries, BASE)
}
