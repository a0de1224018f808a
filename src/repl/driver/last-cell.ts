import type { Json } from '../../core/index.ts'
import { entriesOfType, isEnded, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { RunContext } from '../../run/index.ts'
import { recordedIn } from '../mind/stored-variables.ts'
import type { CellInput } from '../session/session-state.ts'

/** Name of the note in which the first cell of a run records its base. */
export const BASE = 'base'

/** Returns the last cell of earlier runs in the session of an agent. */
export async function lastCell(
  journal: Journal,
  { sessionId, agentId }: Pick<RunContext, 'sessionId' | 'agentId'>,
): Promise<string | null> {
  const runs = await journal.list({ sessionId, name: agentId })
  const roots = new Set(
    runs.filter(({ mind, parent }) => mind === 'agent' && parent === undefined).map(({ run }) => run),
  )
  const cells = runs.filter(
    ({ mind, parent, state }) => mind === 'cell' && isEnded(state) && parent !== undefined && roots.has(parent),
  )
  const latest = Math.max(...cells.map(({ createdAt }) => createdAt))
  const [first, ...others] = cells.filter(({ createdAt }) => createdAt === latest).map(({ run }) => run)
  if (first === undefined || others.length === 0) return first ?? null
  // Of the cells that started in the same millisecond, the last is the one that is not the base of another.
  const bases = new Set(await Promise.all([first, ...others].map((run) => baseOf(journal, run))))
  return (
    [first, ...others]
      .filter((run) => !bases.has(run))
      .toSorted()
      .at(-1) ?? null
  )
}

/** Returns the base of a cell: from its input or, for the first cell of a run, from its note. */
async function baseOf(journal: Journal, run: string): Promise<Json | undefined> {
  const entries = await readAll(journal, run)
  const input = entriesOfType(entries, 'run-start')[0]?.data.input as Partial<CellInput> | null | undefined
  if (input?.base !== undefined) return input.base
  return recordedIn(entries, BASE)
}
