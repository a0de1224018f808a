import { systemRandom } from '../../../core/index.ts'
import type { PostgresLink } from '../link.ts'
import { columnText } from './run-rows.ts'

/** Adds an amount exactly once, even if it is retried after a lost reply. */
export async function addCount(link: PostgresLink, name: string, at: number, amount: number): Promise<void> {
  const sql = `INSERT INTO ${link.table('counts')} (name, at, id, amount) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
  await link.query(sql, [columnText(name), at, systemRandom.hex(8), amount])
}

export async function sumCount(link: PostgresLink, name: string, since: number): Promise<number> {
  const sql = `SELECT sum(amount) AS sum FROM ${link.table('counts')} WHERE name = $1 AND at >= $2`
  return Number((await link.query(sql, [columnText(name), since])).rows[0]?.['sum'] ?? 0)
}
