import type { RunInfo } from '../../api/types.ts'

/** A run of the list with the runs grouped under it. */
export interface RunGroup {
  readonly run: RunInfo
  readonly members: readonly RunInfo[]
}

/**
 * Groups runs under the run they belong to: children under their parent, attempts under their eval, earlier cells of a notebook under its last one. The order
 * is kept; a run whose owner is not in the list is a group of its own.
 */
export function runGroups(runs: readonly RunInfo[]): readonly RunGroup[] {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const lastCells = new Map(
    runs
      .filter(isCell)
      .toReversed()
      .map((run) => [run.sessionId, run]),
  )
  const ownerOf = (run: RunInfo): RunInfo | undefined =>
    byId.get(run.parent ?? '') ??
    byId.get(evalOf(run) ?? '') ??
    (isCell(run) ? lastCells.get(run.sessionId) : undefined)
  const topOf = (run: RunInfo): RunInfo => {
    let top = run
    // Limits the steps, because ids come from outside and may form a cycle; a run in a cycle belongs to no other run.
    for (let steps = 0; steps < 32; steps += 1) {
      const owner = ownerOf(top)
      if (owner === undefined || owner === top) return top
      top = owner
    }
    return run
  }
  const groups = Map.groupBy(runs, topOf)
  return runs.flatMap((run) => {
    const members = groups.get(run)
    return members === undefined ? [] : [{ run, members: members.filter((member) => member !== run) }]
  })
}

/** Returns the next or previous run of the list. A grouped run has the other runs of its group as neighbours, other runs have the runs at the top level. */
export function runBeside(runs: readonly RunInfo[], id: string, by: 1 | -1): RunInfo | undefined {
  const groups = runGroups(runs)
  const group = groups.find(({ members }) => members.some((member) => member.id === id))
  const beside = group === undefined ? groups.map(({ run }) => run) : [group.run, ...group.members]
  const place = beside.findIndex((run) => run.id === id)
  return place < 0 ? undefined : beside[place + by]
}

function isCell({ kind }: RunInfo): boolean {
  return kind === 'cell'
}

/** Returns the eval of an attempt, from its session id: `<eval>.<task>.<attempt>`. */
function evalOf({ sessionId }: RunInfo): string | undefined {
  return /^(eval_[^.]+)\./.exec(sessionId)?.[1]
}
