import type { Label } from '../../core/index.ts'
import type { CellSession } from '../../vm/index.ts'

/** The output of `show_vars` with its labels. */
interface ShownVariables {
  readonly text: string
  readonly labels: readonly Label[]
}

/** For cells that do not call `show_vars`. */
export const NO_VARIABLES: ShownVariables = { text: '', labels: [] }

export function shownVariables(cells: CellSession): ShownVariables {
  const lines = cells.shown().map(([name, text]) => `${name} = ${text}`)
  const text = lines.length === 0 ? 'There are no variables yet.' : lines.join('\n')
  return { text, labels: cells.labelsOf() }
}
