import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Journal } from 'mandate/journal'
import { openStore } from 'mandate/sqlite'
import { median } from './harness.ts'
import { runAgent } from './workloads.ts'

const TURNS = 20
const ENTRIES = 1_000_000
const ROUNDS = 15

/** CPU milliseconds of all threads per step of a run alone: in an empty store and in one of a million entries, in turns. */
export async function stepInStores(): Promise<{ readonly empty: number; readonly large: number }> {
  const dirs = [mkdtempSync(join(tmpdir(), 'mandate-empty-')), mkdtempSync(join(tmpdir(), 'mandate-large-'))] as const
  try {
    await fill(dirs[1])
    const stores = await Promise.all(dirs.map((dir) => openStore({ dir })))
    const times = stores.map((): number[] => [])
    for (let round = 0; round <= ROUNDS; round++)
      for (const side of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const time = await timed(stores[side]!.journal)
        // The first round is a warm-up.
        if (round > 0) times[side]!.push(time)
      }
    await Promise.all(stores.map((store) => store.close()))
    return { empty: median(times[0]!), large: median(times[1]!) }
  } finally {
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true })
  }
}

async function timed(journal: Journal): Promise<number> {
  const before = process.cpuUsage()
  const agent = await runAgent(TURNS, { journal })
  const { user, system } = process.cpuUsage(before)
  await agent.stop()
  return (user + system) / 1000 / TURNS
}

async function fill(dir: string): Promise<void> {
  const store = await openStore({ dir })
  for (let count = 0; count < 20; count++) await (await runAgent(TURNS, { journal: store.journal })).stop()
  await store.close()
  multiply(join(dir, 'journal.db'))
}

/** Copies the entries of the file under other runs until there are enough. Nobody reads them: only their number counts here. */
function multiply(path: string): void {
  const database = new DatabaseSync(path)
  const [{ count }] = database.prepare('SELECT count(*) AS count FROM entries').all() as [{ count: number }]
  const columns = 'seq, v, at, type, key, data_hash, prev, hash, salt, data, sealed'
  const copy = database.prepare(
    `INSERT INTO entries (run, ${columns}) SELECT run || ?, ${columns} FROM entries WHERE id <= ? ORDER BY id`,
  )
  database.exec('BEGIN')
  for (let copies = 1; copies * count < ENTRIES; copies++) copy.run(`~${copies}`, count)
  database.exec('COMMIT')
  database.close()
}
