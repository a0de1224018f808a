import { entriesOfType, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { CellInput, CellOutput } from '../session/session-state.ts'

/** A cell that a session has evaluated. */
interface PastCell {
  /** The run of the cell. */
  readonly run: string
  readonly cell: number
  readonly source: string
  readonly output: Partial<CellOutput>
}

/**
 * The cells whose variables a run builds on, the last one first, itself included: what was undone is not among them. A fork goes on with those of the
 * session it was forked from.
 */
export async function* cellChain(journal: Journal, run: string): AsyncGenerator<PastCell> {
  for (let next: string | null | undefined = run; typeof next === 'string';) {
    const entries = await readAll(journal, next)
    const input = (entriesOfType(entries, 'run-start')[0]?.data.input ?? {}) as Partial<CellInput>
    const end = entriesOfType(entries, 'run-end').at(-1)
    const output = (end?.data.output ?? {}) as Partial<CellOutput>
    if (input.op === undefined) yield { run: next, cell: input.place ?? 0, source: input.source ?? '', output }
    next = input.from === undefined ? input.base : input.from
  }
}
