import type { PostgresLink } from '../link.ts'

/**
 * Whether the server has the type `vector` and its operators (the extension `pgvector`). Then records get a column of that type beside the plain
 * bytes, and the server searches it. Without the right to change the table, the column is not used.
 */
export async function findVectorType(link: PostgresLink): Promise<boolean> {
  const table = link.table('records')
  const asked = `SELECT to_regtype('vector') IS NOT NULL AND to_regoperator('<=>(vector,vector)') IS NOT NULL AS has,
    EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'embedding') AS ready`
  const found = (await link.query(asked, [table])).rows[0]
  if (found?.['has'] !== true) return false
  if (found['ready'] === true) return true
  try {
    await link.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS embedding vector`)
    return true
  } catch {
    return false
  }
}
