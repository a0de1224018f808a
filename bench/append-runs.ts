import { GENESIS, headOf, sealEntry } from 'mandate/journal'
import type { Entry } from 'mandate/journal'

const RUNS = 100
const APPENDS = 40
/** Of the data of one entry. */
const BYTES = 1_000

export interface Timed {
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

/** Everything that is to be written, sealed before the clock runs: what is measured is storing. */
export function prepare(round: number): readonly (readonly Entry[])[] {
  const text = 'x'.repeat(BYTES - 30)
  return Array.from({ length: RUNS }, (_, index) => {
    const run = `run_${round}_${index}`
    let head = GENESIS
    return Array.from({ length: APPENDS + 1 }, (__, at) => {
      const start = { mind: 'agent', name: 'bench', sessionId: run, input: null, identity: { id: 'me', roles: [] } }
      const draft =
        at === 0
          ? ({ type: 'run-start', data: start, at } as const)
          : ({ type: 'note', key: `turn:${at}/note`, data: { name: 'bench', value: text }, at } as const)
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
