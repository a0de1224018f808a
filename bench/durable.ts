import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Entry } from 'mandate/journal'
import { sqliteJournal } from 'mandate/sqlite'
import { inTurns, throughJournal, timed } from './append-runs.ts'
import type { Timed } from './append-runs.ts'
import { median } from './harness.ts'
import { commitsPerStep } from './commits.ts'
import type { Section } from './report.ts'
import type { RawRow } from './raw-group-worker.ts'

const ROUNDS = 9

interface DurableSide {
  readonly name: string
  readonly perSecond: number
  readonly cpuMicroseconds: number
}

interface Durable {
  readonly sides: readonly DurableSide[]
  /** Ratio of the journal's appends per second to those of the raw database; the median over rounds. */
  readonly ratio: number
}

/** The baseline: writes the same bytes to the database through a thread, without any checks. */
class RawStore {
  readonly #worker: Worker
  readonly #waiting = new Map<number, () => void>()
  #gathered: RawRow[] = []
  #last = 0

  constructor(path: string) {
    this.#worker = new Worker(new URL('./raw-group-worker.ts', import.meta.url), { workerData: { path } })
    this.#worker.on('message', (ids: readonly number[]) => {
      for (const id of ids) {
        this.#waiting.get(id)?.()
        this.#waiting.delete(id)
      }
    })
  }

  append(row: Omit<RawRow, 'id'>): Promise<void> {
    return new Promise((resolve) => {
      const id = ++this.#last
      this.#waiting.set(id, resolve)
      if (this.#gathered.push({ id, ...row }) > 1) return
      queueMicrotask(() => {
        this.#worker.postMessage(this.#gathered, [])
        this.#gathered = []
      })
    })
  }

  async close(): Promise<void> {
    this.#worker.postMessage('close', [])
    await new Promise((resolve) => this.#worker.once('exit', resolve))
  }
}

async function throughRaw(store: RawStore, runs: readonly (readonly Entry[])[]): Promise<Timed> {
  const bodies = runs.map((entries) =>
    entries.map((entry) => ({ run: entry.run, type: entry.type, body: JSON.stringify(entry) })),
  )
  await store.append(bodies[0]![0]!)
  return timed(async () => {
    await Promise.all(
      bodies.map(async (rows) => {
        for (let seq = 1; seq < rows.length; seq++) await store.append(rows[seq]!)
      }),
    )
  })
}

/** Measures a hundred runs that append prepared entries one after another, and the raw database: both in this process, alternately, on the same disk. */
async function measureDurable(): Promise<Durable> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-durable-'))
  const journal = sqliteJournal({ path: join(dir, 'journal.db') })
  const raw = new RawStore(join(dir, 'raw.db'))
  const measure = async (): ReturnType<typeof inTurns> => {
    try {
      return await inTurns(
        ROUNDS,
        (runs) => throughJournal(journal, runs),
        (runs) => throughRaw(raw, runs),
      )
    } finally {
      await Promise.all([journal.close(), raw.close()])
      rmSync(dir, { recursive: true })
    }
  }
  const { own, bare } = await measure()
  const middle = (side: readonly Timed[], key: keyof Timed): number => median(side.map((one) => one[key]))
  const side = (name: string, measured: readonly Timed[]): DurableSide => ({
    name,
    perSecond: middle(measured, 'perSecond'),
    cpuMicroseconds: middle(measured, 'cpuMicroseconds'),
  })
  return {
    sides: [side('raw node:sqlite, group commit on a thread', bare), side('sqliteJournal.append', own)],
    ratio: median(own.map((one, index) => one.perSecond / bare[index]!.perSecond)),
  }
}

/** Measures the journal on disk: throughput of many runs, and latency of a single one. */
export async function durable(): Promise<Section> {
  const { sides, ratio } = await measureDurable()
  const commits = await commitsPerStep()
  return {
    tables: [
      {
        title: 'A hundred runs on one SQLite journal',
        note: `Appends of one prepared entry of 1 KB, beside the same bytes in one table of \`node:sqlite\` (WAL, synchronous=FULL) with one transaction for all that have gathered; both on a thread of their own.`,
        columns: ['appends per second', 'µs CPU per append'],
        rows: sides.map((side) => [side.name, side.perSecond, side.cpuMicroseconds]),
      },
      commits.table,
    ],
    goals: [{ name: 'appends per second beside the raw database', measured: ratio, atLeast: 0.6 }, commits.goal],
  }
}
