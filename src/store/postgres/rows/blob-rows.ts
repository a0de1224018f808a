import { placeOf } from '../../encryption/index.ts'
import type { Sealing } from '../../entry-cipher.ts'
import type { PostgresLink, Session } from '../link.ts'

/** The parts of the store that blobs use. */
interface BlobPlace {
  readonly link: PostgresLink
  readonly sealing: Sealing
}

/** Stores content once, with a reference of the run. */
export async function insertBlob(
  { link, sealing }: BlobPlace,
  { run, hash, bytes }: { readonly run: string; readonly hash: string; readonly bytes: Uint8Array },
): Promise<void> {
  await link.transaction(async (session) => {
    await lockBlobs(session, link)
    const { rows } = await session.query(`SELECT FROM ${link.table('blobs')} WHERE hash = $1`, [hash])
    if (rows.length === 0) {
      const content = Buffer.from(sealing.keepBytes(placeOf('blobs', hash), bytes))
      const sql = `INSERT INTO ${link.table('blobs')} (hash, size, content) VALUES ($1, $2, $3)`
      await session.query(sql, [hash, bytes.length, content])
    }
    const sql = `INSERT INTO ${link.table('run_blobs')} (run, hash) VALUES ($1, $2) ON CONFLICT DO NOTHING`
    await session.query(sql, [run, hash])
  })
}

/** Content that the run refers to. */
export async function readBlob(
  { link, sealing }: BlobPlace,
  run: string,
  hash: string,
): Promise<Uint8Array | undefined> {
  const sql = `SELECT content FROM ${link.table('blobs')} JOIN ${link.table('run_blobs')} USING (hash) WHERE run = $1 AND hash = $2`
  const content = (await link.query(sql, [run, hash])).rows[0]?.['content'] as Uint8Array | undefined
  return content === undefined ? undefined : sealing.revealBytes(placeOf('blobs', hash), content)
}

/** Deletes content that only this run refers to, within the transaction that erases it. */
export async function eraseBlobs(session: Session, link: PostgresLink, run: string): Promise<void> {
  await lockBlobs(session, link)
  const refs = link.table('run_blobs')
  await session.query(
    `DELETE FROM ${link.table('blobs')} b WHERE hash IN (SELECT hash FROM ${refs} WHERE run = $1)
      AND NOT EXISTS (SELECT FROM ${refs} o WHERE o.hash = b.hash AND o.run <> $1)`,
    [run],
  )
  await session.query(`DELETE FROM ${refs} WHERE run = $1`, [run])
}

/** Prevents that content is deleted with one run while another run adds a reference. Held until the end of the transaction. */
async function lockBlobs(session: Session, link: PostgresLink): Promise<void> {
  const name = `mandate/${link.options.schema}/blobs`
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
}
