import { sampleStart, sealAll } from '../../src/testing/index.ts'
import type { SampleDraft } from '../../src/testing/index.ts'
import type { Entry } from '../../src/journal/index.ts'

/** The entries that a writer in another process will store, known here as well: the same call gives the same bytes in both. */
export function plannedRun(run: string, count: number): Entry[] {
  const notes = Array.from({ length: count - 2 }, (_, index): SampleDraft => {
    // Sizes that fill pages unevenly, with one that needs several pages of its own.
    const size = index % 7 === 3 ? 9_000 : 40 + ((index * 131) % 700)
    return { type: 'note', key: `step:${index + 1}`, data: { name: 'planned', value: `${index}:`.padEnd(size, 'x') } }
  })
  const end: SampleDraft = { type: 'run-end', data: { state: 'completed', activeMs: 1, spent: {} } }
  return sealAll(run, [{ type: 'run-start', data: sampleStart(), at: 1_000 }, ...notes, end])
}
