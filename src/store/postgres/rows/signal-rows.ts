import { MandateError } from '../../../core/index.ts'
import type { Signal, StoreTransaction } from '../../../journal/index.ts'
import { placeOf } from '../../encryption/index.ts'
import type { AppendPlace } from '../appends.ts'
import { columnText } from './run-rows.ts'

/** Inserts a signal. Returns false if the id was used before, even by a consumed signal. */
export async function insertSignal(
  { link, sealing, news }: AppendPlace,
  run: string,
  signal: Signal,
  along?: (transaction: StoreTransaction) => Promise<void>,
): Promise<boolean> {
  const id = columnText(signal.id)
  const text = JSON.stringify(signal)
  const { plain, sealed } = sealing.keep(placeOf('signals', run, signal.id), text)
  return link.transaction(async (session, isRepeat) => {
    const insert = `INSERT INTO ${link.table('signals')} (run, id, content, sealed)
      SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT FROM ${link.table('runs')} WHERE run = $1) ON CONFLICT (run, id) DO NOTHING`
    if ((await session.query(insert, [run, id, plain, sealed === null ? null : Buffer.from(sealed)])).count > 0) {
      await session.query('SELECT pg_notify($1, text) FROM unnest($2::text[]) AS n (text)', [
        news.channel,
        news.texts('signal', [run]),
      ])
      await along?.(session.connection)
      return true
    }
    const find = `SELECT content, sealed FROM ${link.table('signals')} WHERE run = $1 AND id = $2`
    const [found] = (await session.query(find, [run, id])).rows
    if (found === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to signal.`)
    // The reply to the first attempt was lost: a row with the same content is its result.
    const bytes = found['sealed'] as Uint8Array | null
    return (
      isRepeat && (sealed === null ? found['content'] === plain : bytes !== null && Buffer.compare(bytes, sealed) === 0)
    )
  })
}

/** The unconsumed signals of many runs, in one statement. */
export async function readSignals({ link, sealing }: AppendPlace, runs: readonly string[]): Promise<Signal[][]> {
  const sql = `SELECT run, id, content, sealed FROM ${link.table('signals')}
    WHERE run = ANY($1::text[]) AND (content IS NOT NULL OR sealed IS NOT NULL) ORDER BY number`
  const { rows } = await link.query(sql, [[...new Set(runs)]])
  const signals = new Map<string, Signal[]>()
  for (const row of rows) {
    const run = row['run'] as string
    const place = placeOf('signals', run, JSON.parse(row['id'] as string) as string)
    const kept = { plain: row['content'] as string | null, sealed: row['sealed'] as Uint8Array | null }
    const text = await sealing.reveal(place, kept)
    if (text !== null) signals.set(run, [...(signals.get(run) ?? []), JSON.parse(text) as Signal])
  }
  return runs.map((run) => signals.get(run) ?? [])
}
