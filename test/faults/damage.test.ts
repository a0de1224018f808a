import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MandateError, canonical, seededRandom } from '../../src/core/index.ts'
import type { Entry } from '../../src/journal/index.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'
import { isFull, rotate } from '../rotation.ts'
import { localJournal } from '../stores/local-stores.ts'
import { plannedRun } from './planned-run.ts'

const COUNT = 20
const runs = ['run_a', 'run_b', 'run_c']
const planned = new Map(runs.map((run) => [run, plannedRun(run, COUNT)]))
/** Two places where the same three runs are: all in the log, and all in the database. */
const places = { log: '', database: '' }

/** Stores the runs side by side, and takes the files away while the log still holds them. */
async function build(folder: string): Promise<void> {
  const path = join(folder, 'journal.db')
  const journal = sqliteJournal({ path })
  const leases = await Promise.all(runs.map((run) => journal.acquire({ run, owner: 'builder', ttlMs: 1, now: 0 })))
  for (let seq = 0; seq < COUNT; seq++) {
    for (const lease of leases) await journal.append(lease, seq, [planned.get(lease.run)![seq]!])
  }
  places.log = join(folder, 'log')
  places.database = join(folder, 'database')
  for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${places.log}${suffix}`)
  await journal.close()
  copyFileSync(path, places.database)
  for (const place of Object.values(places)) copyFileSync(`${path}.heads`, `${place}.heads`)
}

let folder = ''
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mandate-damage-'))
  await build(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Finding {
  readonly entries: readonly Entry[]
  readonly refusal: MandateError | undefined
  readonly isRefusedToWriters: boolean
}

/** What a reader and a writer find in files that may be damaged. Anything but our own errors fails the test. */
async function look(path: string, run: string): Promise<Finding> {
  const journal = localJournal(path)
  const entries: Entry[] = []
  const refusal = await (async () => {
    for await (const entry of journal.read(run)) entries.push(entry)
  })().catch((error: unknown) => error)
  const taken = await journal.acquire({ run, owner: 'next', ttlMs: 1, now: 10 }).catch((error: unknown) => error)
  await journal.close()
  for (const error of [refusal, taken]) if (error instanceof Error && !MandateError.isInstance(error)) throw error
  return { entries, refusal: refusal as MandateError | undefined, isRefusedToWriters: MandateError.isInstance(taken) }
}

/** Nothing is ever guessed: what is given out was stored, and what is missing is said to be missing. */
function checkFinding(finding: Finding, run: string, where: string): 'whole' | 'refused' {
  const stored = planned.get(run)!
  expect(finding.entries.map(canonical), `${where}: entries are those that were stored`).toEqual(
    stored.slice(0, finding.entries.length).map(canonical),
  )
  if (finding.refusal === undefined) {
    expect(finding.entries.length, `${where}: what is missing is noticed`).toBe(COUNT)
    return 'whole'
  }
  expect(['JOURNAL_DAMAGED', 'VERSION_UNSUPPORTED', 'CONFIG_INVALID', 'STORE_FAILED'], where).toContain(
    finding.refusal.code,
  )
  return 'refused'
}

async function withCopy(
  place: string,
  change: (path: string) => void,
  body: (path: string) => Promise<void>,
): Promise<void> {
  const path = join(folder, 'copy.db')
  for (const suffix of ['', '-wal', '-shm', '.heads']) rmSync(`${path}${suffix}`, { force: true })
  for (const suffix of place === places.log ? ['', '-wal', '.heads'] : ['', '.heads'])
    copyFileSync(`${place}${suffix}`, `${path}${suffix}`)
  change(path)
  await body(path)
}

function flip(path: string, bit: number): void {
  const bytes = readFileSync(path)
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  writeFileSync(path, bytes)
}

test('a log cut anywhere leaves a clean beginning, and the lost end is named with its number', async () => {
  const size = readFileSync(`${places.log}-wal`).length
  const cuts = rotate(
    Array.from({ length: Math.floor(size / 997) }, (_, index) => index * 997),
    'log cut',
  )
  let refused = 0
  for (const cut of cuts) {
    const change = (path: string): void => writeFileSync(`${path}-wal`, readFileSync(`${path}-wal`).subarray(0, cut))
    await withCopy(places.log, change, async (path) => {
      const finding = await look(path, 'run_b')
      if (checkFinding(finding, 'run_b', `cut at ${cut}`) === 'whole') return
      refused += 1
      expect(finding.refusal).toMatchObject({
        code: 'JOURNAL_DAMAGED',
        info: { run: 'run_b', seq: finding.entries.length + 1 },
      })
      expect(finding.isRefusedToWriters, `cut at ${cut}: nobody writes on`).toBe(true)
    })
  }
  expect(refused).toBeGreaterThan(cuts.length * 0.9)
})

test('without the heads the same cut would pass for a shorter run: they are what finds it', async () => {
  const change = (path: string): void => {
    const log = readFileSync(`${path}-wal`)
    writeFileSync(`${path}-wal`, log.subarray(0, log.length / 2))
    rmSync(`${path}.heads`)
  }
  await withCopy(places.log, change, async (path) => {
    const { entries, refusal } = await look(path, 'run_b')
    expect(refusal).toBeUndefined()
    expect(entries.length).toBeLessThan(COUNT)
  })
})

test('a flipped bit in the log never passes unnoticed', async () => {
  const size = readFileSync(`${places.log}-wal`).length
  const random = seededRandom('log bits')
  const bits = rotate(
    Array.from({ length: 600 }, () => Math.floor(random.next() * size * 8)),
    'flipped bit in the log',
  )
  const found = { whole: 0, refused: 0 }
  for (const bit of bits) {
    await withCopy(
      places.log,
      (path) => flip(`${path}-wal`, bit),
      async (path) => {
        for (const run of runs) found[checkFinding(await look(path, run), run, `bit ${bit} of the log`)] += 1
      },
    )
  }
  expect(found.refused).toBeGreaterThan(0)
})

test('a flipped bit in the database is harmless or refused, never believed', async () => {
  const size = readFileSync(places.database).length
  const random = seededRandom('database bits')
  const bits = rotate(
    Array.from({ length: isFull ? 3_000 : 2_000 }, () => Math.floor(random.next() * size * 8)),
    'flipped bit in the database',
  )
  const found = { whole: 0, refused: 0 }
  for (const bit of bits) {
    await withCopy(
      places.database,
      (path) => flip(path, bit),
      async (path) => {
        for (const run of runs) found[checkFinding(await look(path, run), run, `bit ${bit} of the database`)] += 1
      },
    )
  }
  expect(found.refused).toBeGreaterThan(0)
  expect(found.whole).toBeGreaterThan(0)
})

test('a database cut anywhere is refused, or whole', async () => {
  const size = readFileSync(places.database).length
  const cuts = rotate(
    Array.from({ length: 100 }, (_, index) => Math.floor((index * size) / 100)),
    'database cut',
  )
  const found = { whole: 0, refused: 0 }
  for (const cut of cuts) {
    const change = (path: string): void => writeFileSync(path, readFileSync(path).subarray(0, cut))
    await withCopy(places.database, change, async (path) => {
      // A run none of whose pages were cut off is whole.
      for (const run of runs) found[checkFinding(await look(path, run), run, `cut at ${cut}`)] += 1
    })
  }
  expect(found.refused).toBeGreaterThan(found.whole)
})
