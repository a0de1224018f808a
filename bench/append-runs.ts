import { GENESIS, headOf, sealEntry } from 'mandate/journal'
import type { Entry, Journal } from 'mandate/journal'
import type { Lease } from 'mandate/kit'
import type { Draft } from '../src/journal/index.ts'
import { sampleStart } from '../src/testing/index.ts'

const RUNS = 100
const APPENDS = 40
/** Bytes of the data of one entry. */
const BYTES = 1_000

export interface Timed {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Prepares and seals all entries before the measurement, so that only storing is measured. */
export function prepare(round: number): readonly (readonly Entry[])[] {
  const text = 'x'.repeat(BYTES - 30)
  return Array.from({ length: RUNS }, (_, index) => {
    const run = `run_${round}_${index}`
    let head = GENESIS
    return Array.from({ length: APPENDS + 1 }, (__, at) => {
      const draft: Draft =
        at === 0
          ? { type: 'run-start', data: sampleStart({ mind: 'agent', name: 'bench', sessionId: run }), at }
          : { type: 'note', key: `turn:${at}/note`, data: { name: 'bench', value: text }, at }
      const entry = sealEntry(run, head, draft, 'ab'.repeat(16))
      head = headOf(entry)
      return entry
    })
  })
}

export async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const cpu = process.cpuUsage()
  const start = process.hrtime.bigint()
  await work()
  const wall = Number(process.hrtime.bigint() - start) / 1e9
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: (RUNS * APPENDS) / wall, cpuMicroseconds: (user + system) / (RUNS * APPENDS) }
}

type Runs = readonly (readonly Entry[])[]

/** Measures both sides alternately, with the order swapped every other round. The first round is a warm-up and does not count. */
export async function inTurns(
  rounds: number,
  own: (runs: Runs) => Promise<Timed>,
  bare: (runs: Runs) => Promise<Timed>,
): Promise<{ readonly own: readonly Timed[]; readonly bare: readonly Timed[] }> {
  const times = { own: [] as Timed[], bare: [] as Timed[] }
  for (let round = 0; round < rounds + 1; round++) {
    const runs = prepare(round)
    const sides = [async () => times.own.push(await own(runs)), async () => times.bare.push(await bare(runs))]
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side()
  }
  return { own: times.own.slice(1), bare: times.bare.slice(1) }
}

/** Appends prepared entries to all runs concurrently, one after another per run. Taking the leases is not measured. */
export async function throughJournal(journal: Journal, runs: Runs): Promise<Timed> {
  const leases: Lease[] = await Promise.all(
    runs.map(async ([start]) => {
      const lease = await journal.acquire({ run: start!.run, owner: 'bench', ttlMs: 60_000, now: 0 })
      await journal.append(lease, 0, [start!])
      return lease
    }),
  )
  return timed(() =>
    Promise.all(
      runs.map(async (entries, index) => {
        for (let seq = 1; seq < entries.length; seq++) await journal.append(leases[index]!, seq, [entries[seq]!])
      }),
    ),
  )
}
