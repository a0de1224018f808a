import type { JsonObject, Label } from '../../core/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { CellInput, CellOutput } from '../session/session-state.ts'

/** A cell evaluated by a session. */
interface PastCell {
  /** The run of the cell. */
  readonly run: string
  readonly cell: number
  readonly source: string
  readonly output: Partial<CellOutput>
  /** Labels of the source and the output. */
  readonly labels: readonly Label[]
}

/**
 * Yields the cells whose variables a run builds on, starting with the run itself and going back. Undone cells are not included. For a fork, it continues with
 * the cells of the original session.
 */
export async function* cellChain(journal: Journal, run: string): AsyncGenerator<PastCell> {
  for (let next: string | null | undefined = run; typeof next === 'string';) {
    const entries = await readAll(journal, next)
    const input = (entriesOfType(entries, 'run-start')[0]?.data.input ?? {}) as Partial<CellInput>
    const end = entriesOfType(entries, 'run-end').at(-1)
    const output = (end?.data.output ?? {}) as Partial<CellOutput>
    const labels = end?.data.labels ?? []
    if (input.op === undefined) yield { run: next, cell: input.place ?? 0, source: input.source ?? '', output, labels }
    next = input.from === undefined ? input.base : input.from
  }
}

/** Maximum cells in `history`, and maximum characters of the output of each. */
const HISTORY_MAX = 64
const HISTORY_CHARS = 2_000

/** Returns the content of `history`: the cells up to that of a run with their labels, oldest first. */
export async function cellHistory(
  journal: Journal,
  base: string | undefined,
): Promise<readonly { readonly value: JsonObject; readonly labels: readonly Label[] }[]> {
  const found: { value: JsonObject; labels: readonly Label[] }[] = []
  if (base === undefined) return found
  for await (const { cell, source, output, labels } of cellChain(journal, base)) {
    if (found.length >= HISTORY_MAX) break
    const { stdout = '', value, shown, error } = output
    const given = shown ?? (value === undefined ? '' : JSON.stringify(value))
    const told = `${stdout}${given}`.slice(0, HISTORY_CHARS)
    const failure = error === undefined ? {} : { error: error['message'] ?? '' }
    found.push({ value: { cell, source, output: told, ...failure }, labels })
  }
  return found.toReversed()
}
