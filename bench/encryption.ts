import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyRing, newKey, sqliteJournal } from 'mandate/sqlite'
import type { SqliteJournal } from '../src/store/sqlite/sqlite-journal.ts'
import type { Entry } from 'mandate/journal'
import { prepare, throughJournal } from './append-runs.ts'
import { median } from './harness.ts'
import type { Section } from './report.ts'

const ROUNDS = 11

/** Measures the CPU time of both threads per entry that is read back and verified. */
async function readBack(journal: SqliteJournal, runs: readonly (readonly Entry[])[]): Promise<number> {
  const cpu = process.cpuUsage()
  let count = 0
  for (const [start] of runs) for await (const _ of journal.read(start!.run)) count += 1
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / count
}

/** Compares the same entries through the journal with and without keys, alternately. */
export async function encryption(): Promise<Section> {
  const dir = mkdtempSync(join(tmpdir(), 'mandate-encryption-'))
  const sides = [
    { name: 'plain', journal: sqliteJournal({ path: join(dir, 'plain.db') }) },
    {
      name: 'encrypted',
      journal: sqliteJournal({ path: join(dir, 'sealed.db'), encryption: keyRing(`bench:${newKey()}`) }),
    },
  ].map((side) => ({ ...side, append: [] as number[], read: [] as number[] }))
  try {
    for (let round = 0; round < ROUNDS + 1; round++) {
      const runs = prepare(round)
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        side.append.push((await throughJournal(side.journal, runs)).cpuMicroseconds)
        side.read.push(await readBack(side.journal, runs))
      }
    }
  } finally {
    await Promise.all(sides.map(({ journal }) => journal.close()))
    rmSync(dir, { recursive: true })
  }
  const [plain, sealed] = sides
  // The first round is a warm-up.
  const ratio = (key: 'append' | 'read'): number =>
    median(sealed![key].slice(1).map((cpu, index) => cpu / plain![key][index + 1]!))
  return {
    tables: [
      {
        title: 'Encryption at rest',
        note: 'CPU of the whole process per entry of 1 KB on the SQLite journal; a hundred runs side by side. The data key is at hand, as it is after opening.',
        columns: ['µs CPU per append', 'µs CPU per entry read and verified'],
        rows: sides.map(({ name, append, read }) => [name, median(append.slice(1)), median(read.slice(1))]),
      },
    ],
    goals: [
      { name: 'CPU per append, encrypted beside plain', measured: ratio('append'), atMost: 2 },
      { name: 'CPU per entry read, encrypted beside plain', measured: ratio('read'), atMost: 2 },
    ],
  }
}
