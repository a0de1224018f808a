import { MandateError } from '../../core/index.ts'
import { GENESIS, checkEntry, restoreAdvice } from '../../journal/index.ts'
import type { Entry, Head } from '../../journal/index.ts'
import type { AppendPlace } from './appends.ts'
import { ENTRY_COLUMNS, entryOf, headOfRow, pageOf, pageSource, readPage } from './rows/entry-rows.ts'
import type { Page } from './rows/entry-rows.ts'
import type { PostgresLink, Row } from './link.ts'

/** The head of a run, the hash before the first entry, and the first page of entries. */
export interface Beginning {
  readonly before: Head
  readonly head: Head | undefined
  readonly page: Page
}

/** A run to be read from an entry on. */
export interface ReadAsk {
  readonly run: string
  readonly fromSeq: number
}

/** Pages of many runs are in memory together, so the first of each is smaller than later ones. */
export const FIRST_PAGE_BYTES = 250_000

/**
 * The first pages of many reads in one statement, which sees heads and entries as of one moment: a writer may be adding to both. The lists are behind
 * a `SELECT`, so that the server does not plan the statement for each length; the tables are behind `LATERAL … LIMIT`, so that a plan from when they
 * were small does not scan all of them later.
 */
export async function readBeginnings(link: PostgresLink, asks: readonly ReadAsk[]): Promise<Beginning[]> {
  const columns = ENTRY_COLUMNS.split(', ').map((column) => `e.${column}`)
  const sql = `SELECT a.nr::int AS nr, h.seq AS head_seq, h.hash AS head_hash, h.at AS head_at,
      b.seq AS before_seq, b.hash AS before_hash, b.at AS before_at, e.before, ${columns.join(', ')}
    FROM unnest((SELECT $1::text[]), (SELECT $2::int[])) WITH ORDINALITY AS a (run, from_seq, nr)
    LEFT JOIN LATERAL (SELECT seq, hash, at FROM ${link.table('heads')} WHERE run = a.run LIMIT 1) AS h ON true
    LEFT JOIN LATERAL (
      SELECT seq, hash, at FROM ${link.table('entries')} WHERE run = a.run AND seq = a.from_seq - 1 LIMIT 1) AS b ON true
    LEFT JOIN LATERAL (${pageSource(link, 'a.run', 'a.from_seq', FIRST_PAGE_BYTES)}) AS e ON true
    ORDER BY a.nr, e.seq`
  const { rows } = await link.query(sql, [asks.map(({ run }) => run), asks.map(({ fromSeq }) => fromSeq)])
  const found = asks.map((): Row[] => [])
  for (const row of rows) found[(row['nr'] as number) - 1]!.push(row)
  return found.map((own, index) => {
    const [first] = own
    const entries = own.filter((row) => row['seq'] !== null)
    const before = asks[index]!.fromSeq <= 1 ? undefined : headIn(first, 'before')
    return { before: before ?? GENESIS, head: headIn(first, 'head'), page: pageOf(entries, FIRST_PAGE_BYTES) }
  })
}

function headIn(row: Row | undefined, part: 'head' | 'before'): Head | undefined {
  if (row === undefined || row[`${part}_seq`] === null) return undefined
  return headOfRow({ seq: row[`${part}_seq`], hash: row[`${part}_hash`], at: row[`${part}_at`] })
}

export async function readHead({ link }: AppendPlace, run: string): Promise<Head | undefined> {
  const { rows } = await link.query(`SELECT seq, hash, at FROM ${link.table('heads')} WHERE run = $1`, [run])
  return rows[0] === undefined ? undefined : headOfRow(rows[0])
}

/** Reads entries page by page, never the whole run, and checks at the end that the last entry is that of the head. */
export async function* readEntries(
  { link, sealing }: AppendPlace,
  { run, fromSeq }: ReadAsk,
  { before, head, page: first }: Beginning,
): AsyncGenerator<Entry> {
  let last = fromSeq - 1
  let prev = before.hash
  for (let page = first; ; page = await readPage(link, run, last + 1)) {
    for (const row of page.rows) {
      if (head !== undefined && head.seq === row['seq'] && head.hash !== row['hash']) throw headDiffers(run, head.seq)
      const entry = await entryOf(row, prev, sealing)
      last = entry.seq
      prev = entry.hash
      yield entry
    }
    if (!page.more) break
  }
  if (head !== undefined && last < head.seq && fromSeq <= head.seq) throw tailLost(run, last, head.seq)
}

/** Whether a run ends with the entry of its head, and that entry follows the previous one. */
export async function isSoundEnd({ sealing }: AppendPlace, head: Head, end: Beginning): Promise<boolean> {
  const [row, more] = end.page.rows
  if (row === undefined || more !== undefined || row['seq'] !== head.seq || row['hash'] !== head.hash) return false
  try {
    checkEntry(await entryOf(row, end.before.hash, sealing), end.before, row['run'] as string)
    return true
  } catch {
    return false
  }
}

/** Throws if the head is not that of the last entry. */
export async function refuseDamagedHead({ link, sealing }: AppendPlace, run: string, head: Head): Promise<void> {
  const sql = `SELECT ${ENTRY_COLUMNS} FROM ${link.table('entries')} WHERE run = $1 ORDER BY seq DESC LIMIT 2`
  const [row, rowBefore] = (await link.query(sql, [run])).rows
  const before = rowBefore === undefined ? GENESIS : headOfRow(rowBefore)
  const last = row === undefined ? undefined : await entryOf(row, before.hash, sealing)
  if (last === undefined || last.seq < head.seq) throw tailLost(run, last?.seq ?? 0, head.seq)
  checkEntry(last, before, run)
  if (last.seq !== head.seq || last.hash !== head.hash) throw headDiffers(run, last.seq)
}

function tailLost(run: string, seq: number, known: number): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq + 1}: it was stored up to entry ${known}, and the last ${known - seq} are gone. ${restoreAdvice('the database', seq)}`,
    { info: { run, seq: seq + 1, wrong: 'it is missing' } },
  )
}

function headDiffers(run: string, seq: number): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq}: it is not the one that was stored there. ${restoreAdvice('the database', seq - 1)}`,
    { info: { run, seq, wrong: 'it is not the one that was stored there' } },
  )
}
