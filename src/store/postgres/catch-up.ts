import { foldSummary, readVerified } from '../../journal/index.ts'
import type { RunSummary } from '../../journal/index.ts'
import type { AppendPlace } from './appends.ts'
import { readBeginnings, readEntries } from './reads.ts'
import { readSummary, writeSummary } from './rows/run-rows.ts'

/** Refolds the summaries of open runs once, in a schema from before summaries contained open questions. A run that cannot be read keeps its summary. */
export async function catchUp(place: AppendPlace): Promise<void> {
  const { link, sealing } = place
  const store = link.table('store')
  const { rows } = await link.query(`SELECT value FROM ${store} WHERE name = 'waiting'`)
  // Entries cannot be decrypted without keys; a process that has them does this.
  if (rows[0]?.['value'] !== 'unread' || link.options.withoutKeys) return
  const open = await link.query(`SELECT run FROM ${link.table('runs')} WHERE state IN ('running', 'suspended')`)
  for (const row of open.rows) await foldAgain({ ...place, sealing }, row['run'] as string)
  await link.query(`UPDATE ${store} SET value = 'read' WHERE name = 'waiting'`)
}

async function foldAgain(place: AppendPlace, run: string): Promise<void> {
  const { link } = place
  let folded: RunSummary | undefined
  try {
    const ask = { run, fromSeq: 1 }
    const [beginning] = await readBeginnings(link, [ask])
    for await (const entry of readVerified(run, beginning!.before, readEntries(place, ask, beginning!)))
      folded = foldSummary(folded, entry)
  } catch {
    // The damage is reported when the run is opened.
    return
  }
  const waiting = folded?.waiting
  if (waiting === undefined) return
  await link.transaction(async (session) => {
    await session.query(`SELECT FROM ${link.table('heads')} WHERE run = $1 FOR UPDATE`, [run])
    const now = await readSummary(link, run, session)
    // A concurrent writer has updated the summary already.
    if (now !== undefined && now.head.seq === folded!.head.seq)
      await writeSummary(session, link.table('runs'), { ...now, waiting })
  })
}
