import { MandateError } from '../../core/index.ts'
import { GENESIS, checkEntry } from '../../journal/index.ts'
import type { Entry, Head } from '../../journal/index.ts'
import type { AppendPlace } from './appends.ts'
import { ENTRY_COLUMNS, entryOf, headOfRow, readPage } from './rows/entry-rows.ts'

/** Where a run stands according to its head, and what an entry is said to follow. */
export async function readEnds(
  { link }: AppendPlace,
  run: string,
  fromSeq: number,
): Promise<{ readonly before: Head; readonly head: Head | undefined }> {
  const { rows } = await link.query(
    `SELECT 'head' AS place, seq, hash, at FROM ${link.table('heads')} WHERE run = $1
     UNION ALL SELECT 'before', seq, hash, at FROM ${link.table('entries')} WHERE run = $1 AND seq = $2`,
    [run, fromSeq - 1],
  )
  const at = (place: string): Head | undefined => {
    const row = rows.find((one) => one['place'] === place)
    return row === undefined ? undefined : headOfRow(row)
  }
  return { before: fromSeq <= 1 ? GENESIS : (at('before') ?? GENESIS), head: at('head') }
}

/** Page after page, never the whole run; and at the end, that the end is where it must be. */
export async function* readEntries(
  { link, sealing }: AppendPlace,
  run: string,
  fromSeq: number,
  { before, head }: { readonly before: Head; readonly head: Head | undefined },
): AsyncGenerator<Entry> {
  let last = fromSeq - 1
  let prev = before.hash
  for (let more = true; more;) {
    const page = await readPage(link, run, last + 1)
    for (const row of page.rows) {
      if (head !== undefined && head.seq === row['seq'] && head.hash !== row['hash']) throw headDiffers(run, head.seq)
      const entry = await entryOf(row, prev, sealing)
      last = entry.seq
      prev = entry.hash
      yield entry
    }
    more = page.more
  }
  if (head !== undefined && last < head.seq && fromSeq <= head.seq) throw tailLost(run, last, head.seq)
}

/** Refuses to go on from a head that is not that of the last entry. */
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
    `Run "${run}" is damaged at entry ${seq + 1}: it was stored up to entry ${known}, and the last ${known - seq} are gone. Restore the database from a backup or fork the run at ${seq}.`,
    { info: { run, seq: seq + 1, wrong: 'it is missing' } },
  )
}

function headDiffers(run: string, seq: number): MandateError {
  return new MandateError(
    'JOURNAL_DAMAGED',
    `Run "${run}" is damaged at entry ${seq}: it is not the one that was stored there. Restore the database from a backup or fork the run at ${seq - 1}.`,
    { info: { run, seq, wrong: 'it is not the one that was stored there' } },
  )
}
