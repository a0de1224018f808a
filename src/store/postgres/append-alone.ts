import { headOf, leaseLost, planAppend, saysMore } from '../../journal/index.ts'
import type { AppendAsk, AppendPlace } from './appends.ts'
import { insertEntries } from './rows/entry-rows.ts'
import type { Session } from './link.ts'
import { columnText, readSummary, writeSummary } from './rows/run-rows.ts'

/** Appends with a read first: under a lock on the head of its run, decided by what is stored. A retry after a lost reply finds the entries there. */
export async function appendAlone(place: AppendPlace, ask: AppendAsk): Promise<void> {
  const { link, known, sealing, news } = place
  const { run, epoch } = ask.lease
  known.forget(run)
  const summary = await link.transaction(async (session) => {
    const sql = `SELECT epoch, owner FROM ${link.table('heads')} WHERE run = $1 FOR UPDATE`
    const [held] = (await session.query(sql, [run])).rows
    if (held?.['epoch'] !== epoch || held['owner'] === null) throw leaseLost(run)
    const before = await readSummary(link, run, session)
    const hashes = await readHashes(place, ask, session)
    const stored = { run, summary: before, imports: ask.lease.imports, hashAt: (seq: number) => hashes.get(seq) }
    const plan = planAppend(stored, ask.expectedSeq, ask.entries)
    await insertEntries(session, link.table('entries'), plan.fresh, sealing)
    if (saysMore(before, plan.summary)) await writeSummary(session, link.table('runs'), plan.summary)
    const last = plan.fresh.at(-1)
    if (last !== undefined) {
      const head = headOf(last)
      const move = `UPDATE ${link.table('heads')} SET seq = $2, hash = $3, at = $4 WHERE run = $1`
      await session.query(move, [run, head.seq, head.hash, head.at])
    }
    await consume(place, ask, session)
    await session.query('SELECT pg_notify($1, text) FROM unnest($2::text[]) AS n (text)', [
      news.channel,
      news.texts('entry', [run]),
    ])
    return plan.summary
  })
  known.note(run, epoch, summary)
}

/** The stored hashes at the places to which the append refers. */
async function readHashes({ link }: AppendPlace, ask: AppendAsk, session: Session): Promise<Map<number, string>> {
  const sql = `SELECT seq, hash FROM ${link.table('entries')} WHERE run = $1 AND seq = ANY($2::int[])`
  const seqs = ask.entries.map(({ seq }) => seq).filter((seq) => Number.isInteger(seq) && Math.abs(seq) < 2 ** 31)
  const { rows } = await session.query(sql, [ask.lease.run, seqs])
  return new Map(rows.map((row) => [row['seq'] as number, row['hash'] as string]))
}

async function consume({ link }: AppendPlace, ask: AppendAsk, session: Session): Promise<void> {
  if (ask.consume.length === 0) return
  const sql = `UPDATE ${link.table('signals')} SET content = NULL, sealed = NULL WHERE run = $1 AND id = ANY($2::text[])`
  await session.query(sql, [ask.lease.run, ask.consume.map(columnText)])
}
