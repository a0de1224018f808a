/** The source of a cell and the variables it changed. */
export interface CellFacts {
  readonly source: string
  readonly changed: readonly string[]
}

/** The reason why the result of a cell is stale. */
export interface Stale {
  /** The number of the cell that changed a variable it depends on, from 1. */
  readonly by: number
  readonly variable: string
}

/**
 * Returns the cells whose results are stale: they used a variable that a later cell changed, or the result of a stale cell. A cell depends on the variables
 * whose names occur in its source, and thereby on the cells that set them.
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
