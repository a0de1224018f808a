/** What a cell used and changed. */
export interface CellFacts {
  readonly source: string
  readonly changed: readonly string[]
}

/** Why the result of a cell is out of date. */
export interface Stale {
  /** The number of the cell that changed something it was made from, from 1. */
  readonly by: number
  readonly variable: string
}

/**
 * Cells whose results were made from variables that a later cell has changed, or from results of cells that are out of date themselves. A cell uses a
 * variable when its code names it; the cells that set it are where it comes from.
 */
export function staleCells(cells: readonly CellFacts[]): readonly (Stale | undefined)[] {
  const used = cells.map(({ source }) => new Set(source.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []))
  const found: (Stale | undefined)[] = cells.map(() => undefined)
  cells.forEach(({ changed: own }, index) => {
    for (let later = index + 1; later < cells.length && found[index] === undefined; later += 1) {
      const variable = cells[later]!.changed.find((name) => used[index]!.has(name) && !own.includes(name))
      if (variable !== undefined) found[index] = { by: later + 1, variable }
    }
    if (found[index] !== undefined) return
    const source = cells.findLastIndex(
      ({ changed }, earlier) =>
        earlier < index && found[earlier] !== undefined && changed.some((name) => used[index]!.has(name)),
    )
    if (source >= 0)
      found[index] = { by: source + 1, variable: cells[source]!.changed.find((name) => used[index]!.has(name))! }
  })
  return found
}
