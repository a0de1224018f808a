import { checkNumbers, seededRandom, checkFields } from '../core/index.ts'
import { GENESIS, headOf } from '../journal/index.ts'
import type { EntryType, Head, IntactEntry, RunEndState, RunStartData } from '../journal/index.ts'
import { forgeEntry } from './forged-entry.ts'

/** A draft of an entry; missing fields are filled in. */
export interface SampleDraft {
  readonly type: EntryType
  readonly key?: string | undefined
  readonly data?: object | undefined
  readonly at?: number | undefined
}

export interface SampleRunOptions {
  /** Number of notes between the start and the end. */
  readonly notes?: number | undefined
  /** How the run ends; it stays running when absent. */
  readonly end?: RunEndState | undefined
  /** When it starts; each entry is a millisecond later than the previous one. */
  readonly at?: number | undefined
  readonly start?: Partial<RunStartData> | undefined
}

/** Seals drafts into a hash chain. The salts are derived from the name of the run, so the same call gives the same bytes. */
export function sealAll(run: string, drafts: readonly SampleDraft[], head: Head = GENESIS): IntactEntry[] {
  const random = seededRandom(`${run}/${head.seq}`)
  let last = head
  return drafts.map((draft) => {
    const { type, key, data = {}, at = last.at + 1 } = draft
    const entry = forgeEntry(run, last, { type, key, data, at }, random.hex(16))
    last = headOf(entry)
    return entry
  })
}

/** Makes a small run without a kernel: a valid chain with the requested entries. */
export function sampleRun(run: string, options: SampleRunOptions = {}): IntactEntry[] {
  checkFields(options, 'an option of `sampleRun`', { notes: true, end: true, at: true, start: true })
  checkNumbers(options, 'an option of `sampleRun`', { notes: 'count', at: 'amount' })
  const { notes = 0, end, at = 1_000, start } = options
  return sealAll(run, [
    { type: 'run-start', data: sampleStart(start), at },
    ...Array.from({ length: notes }, (_, index): SampleDraft => ({
      type: 'note',
      key: `note:${index + 1}`,
      data: { name: 'sample', value: index + 1 },
    })),
    ...(end === undefined ? [] : [{ type: 'run-end', data: { state: end, activeMs: 1, spent: {} } } as const]),
  ])
}

/** Makes the `run-start` data of a sample run. */
export function sampleStart(given: Partial<RunStartData> = {}): RunStartData {
  return {
    protocol: 1,
    mind: 'program',
    name: 'sample',
    sessionId: 'session_1',
    input: null,
    identity: { id: 'tester', roles: ['runner'] },
    seed: '1',
    depth: 0,
    durability: 'sync',
    budget: {},
    pins: {},
    ...given,
  }
}
