import type { PromptPort, PromptRow } from '../../../memory/index.ts'
import { placeOf } from '../../encryption/index.ts'
import type { Row } from '../link.ts'
import { columnText } from '../rows/run-rows.ts'
import { ConnectionRef } from '../../shared-connection.ts'
import type { DataLink } from './data-link.ts'
import type { DataPlace } from './data-place.ts'
import { hashOf } from './places.ts'
import { bufferOf } from './record-rows.ts'

const COLUMNS = 'id, version, text, sealed'

/** Templates in a Postgres schema. */
export function promptPort(data: DataLink, isAlone: boolean): PromptPort {
  const line = new ConnectionRef(data, isAlone)
  const read = (end: string, values: readonly unknown[]): Promise<PromptRow[]> =>
    line.use(async (place) => {
      const { rows } = await place.link.query(`SELECT ${COLUMNS} FROM ${place.link.table('prompts')} ${end}`, values)
      return Promise.all(rows.map((row) => promptOf(row, place)))
    })
  return {
    add: (id, version, text) => line.use((place) => addPrompt(place, id, version, text)),
    async get(id, version) {
      const end = `WHERE place = $1 AND ($2::int IS NULL OR version = $2) ORDER BY version DESC LIMIT 1`
      if (version !== undefined && !Number.isInteger(version)) return undefined
      return (await read(end, [hashOf(id), version ?? null]))[0]
    },
    versions: (id) => read('WHERE place = $1 ORDER BY version', [hashOf(id)]),
    newest: () =>
      line.use(async (place) => {
        const table = place.link.table('prompts')
        const sql = `SELECT ${COLUMNS} FROM (SELECT DISTINCT ON (place) place, ${COLUMNS} FROM ${table} ORDER BY place, version DESC) AS newest
          ORDER BY (SELECT min(number) FROM ${table} AS first WHERE first.place = newest.place)`
        const { rows } = await place.link.query(sql)
        return Promise.all(rows.map((row) => promptOf(row, place)))
      }),
    setLabel: (id, label, version) =>
      line.use(async ({ link }) => {
        const sql = `INSERT INTO ${link.table('prompt_labels')} (place, label_place, label, version)
          SELECT $1, $2, $3, $4 WHERE EXISTS (SELECT FROM ${link.table('prompts')} WHERE place = $1)
          ON CONFLICT (place, label_place) DO UPDATE SET version = excluded.version`
        await link.query(sql, [hashOf(id), hashOf(label), columnText(label), version])
      }),
    labels: (id) =>
      line.use(async ({ link }) => {
        const sql = `SELECT label, version FROM ${link.table('prompt_labels')} WHERE place = $1`
        const { rows } = await link.query(sql, [hashOf(id)])
        return new Map(rows.map((row) => [JSON.parse(row['label'] as string) as string, row['version'] as number]))
      }),
    close: () => line.close(),
  }
}

async function promptOf(row: Row, { sealing }: DataPlace): Promise<PromptRow> {
  const id = JSON.parse(row['id'] as string) as string
  const version = row['version'] as number
  const kept = { plain: row['text'] as string | null, sealed: row['sealed'] as Uint8Array | null }
  return { id, version, text: (await sealing.reveal(placeOf('prompts', id, version), kept)) ?? '' }
}

/** Inserts a version unless its number is taken: of two concurrent writers of the same number only one succeeds. */
function addPrompt({ link, sealing }: DataPlace, id: string, version: number, text: string): Promise<boolean> {
  const { plain, sealed } = sealing.keep(placeOf('prompts', id, version), text)
  const values = [hashOf(id), version, columnText(id), plain, bufferOf(sealed)]
  return link.transaction(async (session, isRepeat) => {
    const table = link.table('prompts')
    const sql = `INSERT INTO ${table} (place, version, id, text, sealed) SELECT $1, $2, $3, $4, $5
      WHERE $2 = (SELECT coalesce(max(version), 0) + 1 FROM ${table} WHERE place = $1) ON CONFLICT DO NOTHING`
    if ((await session.query(sql, values)).count > 0) return true
    if (!isRepeat) return false
    // The reply to the first attempt was lost: a row with the same content is its result.
    const same = `SELECT FROM ${table} WHERE place = $1 AND version = $2 AND id = $3 AND (text = $4 OR sealed = $5)`
    return (await session.query(same, values)).count > 0
  })
}
