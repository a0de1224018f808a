import { MandateError } from '../../core/index.ts'
import { isEnded, notEnded } from '../../journal/index.ts'
import type { PostgresLink } from './link.ts'
import { eraseBlobs } from './rows/blob-rows.ts'
import { readSummary, writeSummary } from './rows/run-rows.ts'

/**
 * Erases the contents of an ended run's entries; their places in the chain stay. Old row versions remain on the server's disk until it vacuums the
 * table and recycles its log: if that is too long, encrypt the store and delete the key.
 */
export async function eraseRun(link: PostgresLink, run: string): Promise<number> {
  return link.transaction(async (session) => {
    await session.query(`SELECT FROM ${link.table('heads')} WHERE run = $1 FOR UPDATE`, [run])
    const summary = await readSummary(link, run, session)
    if (summary === undefined) throw new MandateError('NOT_FOUND', `There is no run "${run}" to erase.`)
    if (!isEnded(summary.state)) throw notEnded(run, summary.state)
    const entries = `UPDATE ${link.table('entries')} SET salt = NULL, data = NULL, sealed = NULL WHERE run = $1`
    const { count } = await session.query(entries, [run])
    await session.query(`UPDATE ${link.table('signals')} SET content = NULL, sealed = NULL WHERE run = $1`, [run])
    await eraseBlobs(session, link, run)
    await writeSummary(session, link.table('runs'), { ...summary, erased: true })
    return count
  })
}
