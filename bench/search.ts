import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from 'mandate/testing'
import { sqliteData } from 'mandate/sqlite'
import type { SqliteData } from '../src/store/sqlite/data/sqlite-data.ts'
import { median } from './harness.ts'
import type { Section, Table } from './report.ts'

const VECTORS = 100_000
const DIMENSIONS = 384
const ROUNDS = 15
const BATCH = 5_000
const SIZES = [10_000, 100_000, 1_000_000]
/** Larger stores are skipped on a machine that would take longer than this to fill one. */
const FILL_MAX_MS = 240_000
const WORDS_PER_MEMORY = 20
const VOCABULARY = 50_000

async function inFolder<T>(work: (data: SqliteData) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-search-'))
  const data = sqliteData({ path: join(folder, 'memory.db') })
  try {
    return await work(data)
  } finally {
    await data.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Measures the CPU time of all threads of this process, in milliseconds. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The baseline: one pass over the same numbers in one array, keeping the best ten. */
function bareScan(numbers: Float32Array, asked: Float32Array): number {
  const best = new Float64Array(10).fill(-Infinity)
  for (let row = 0; row < VECTORS; row++) {
    const start = row * DIMENSIONS
    let s0 = 0
    let s1 = 0
    let s2 = 0
    let s3 = 0
    for (let i = 0; i < DIMENSIONS; i += 4) {
      s0 += numbers[start + i]! * asked[i]!
      s1 += numbers[start + i + 1]! * asked[i + 1]!
      s2 += numbers[start + i + 2]! * asked[i + 2]!
      s3 += numbers[start + i + 3]! * asked[i + 3]!
    }
    const score = s0 + s1 + s2 + s3
    if (score > best[0]!) {
      best[0] = score
      best.sort()
    }
  }
  return best[9]!
}

async function vectors(): Promise<{ readonly table: Table; readonly ratio: number }> {
  const random = seededRandom('vectors')
  const numbers = Float32Array.from({ length: VECTORS * DIMENSIONS }, () => random.next() - 0.5)
  const asked = Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5)
  return inFolder(async (data) => {
    const database = data.database()
    for (let start = 0; start < VECTORS; start += BATCH) {
      const entries = Array.from({ length: BATCH }, (_, offset) => {
        const at = (start + offset) * DIMENSIONS
        return { key: `k${start + offset}`, value: start + offset, vector: numbers.subarray(at, at + DIMENSIONS) }
      })
      await database.writeMany('vectors', entries)
    }
    const look = (): Promise<unknown> => database.search('', { vector: asked, topK: 10 })
    const first = await cpuOf(look)
    for (let round = 0; round < 3; round++) bareScan(numbers, asked)
    const times = { bare: [] as number[], store: [] as number[], ratio: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await cpuOf(() => bareScan(numbers, asked))
      const store = await cpuOf(look)
      times.bare.push(bare)
      times.store.push(store)
      times.ratio.push(store / bare)
    }
    const table = {
      note: 'Every vector is compared. Processor time of all threads, in turns.',
      title: `The ten nearest of ${VECTORS.toLocaleString('en')} vectors of ${DIMENSIONS} numbers`,
      columns: ['ms of processor time', 'ratio'],
      rows: [
        ['one pass over a Float32Array', median(times.bare), 1],
        ['search in SQLite', median(times.store), median(times.ratio)],
        ['the first search after opening, which reads them', first, first / median(times.bare)],
      ],
    } satisfies Table
    return { table, ratio: median(times.ratio) }
  })
}

/** Generates a text with a realistic word distribution: few very common words, many rare ones. */
function memoryText(next: () => number): string {
  const words: string[] = []
  for (let index = 0; index < WORDS_PER_MEMORY; index++)
    words.push(`w${Math.floor(next() ** 4 * VOCABULARY).toString(36)}x`)
  return words.join(' ')
}

const QUERIES: readonly (readonly [name: string, text: string])[] = [
  ['a rare word', `w${(VOCABULARY - 1_000).toString(36)}x`],
  ['a rare and a common word', `w${(VOCABULARY - 1_000).toString(36)}x w1x`],
  ['three words', `w${(900).toString(36)}x w${(2_000).toString(36)}x w${(5_000).toString(36)}x`],
  ['a word that every tenth memory has', 'w1x'],
]

async function fullText(): Promise<Table> {
  const rows: (readonly [string, ...number[]])[] = []
  for (const size of SIZES) {
    const row = await inFolder(async (data) => {
      const random = seededRandom('texts')
      const database = data.database()
      const start = performance.now()
      for (let from = 0; from < size; from += BATCH) {
        const entries = Array.from({ length: BATCH }, (_, offset) => ({
          key: `m${from + offset}`,
          value: { text: memoryText(() => random.next()) },
        }))
        await database.writeMany('memories', entries)
        if (performance.now() - start > FILL_MAX_MS) return undefined
      }
      const perSecond = size / ((performance.now() - start) / 1_000)
      const times: number[] = []
      for (const [, text] of QUERIES) {
        const rounds: number[] = []
        for (let round = 0; round < 5; round++) rounds.push(await cpuOf(() => database.search(text, { topK: 10 })))
        times.push(median(rounds))
      }
      return [size.toLocaleString('en'), ...times, perSecond] as const
    })
    if (row === undefined) break
    rows.push(row)
  }
  return {
    note: 'An index of words, ranked by BM25; processor time of all threads.',
    title: `The ten best of so many memories of ${WORDS_PER_MEMORY} words, in SQLite`,
    columns: [...QUERIES.map(([name]) => `ms: ${name}`), 'written per second'],
    rows,
  }
}

/** Measures vector search and full-text search. */
export async function search(): Promise<Section> {
  const nearest = await vectors()
  return {
    tables: [nearest.table, await fullText()],
    goals: [{ name: 'exact vector search beside a bare scan', measured: nearest.ratio, atMost: 1.5 }],
  }
}
