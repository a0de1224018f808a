import type { SqlTable } from './database.ts'
import type { PostgresClient } from './sql-over-postgres.ts'

interface ColumnRow {
  readonly schema: string
  readonly name: string
  readonly kind: string
  readonly column: string
  readonly type: string
  readonly required: boolean
  readonly is_key: boolean
  readonly target: string | null
}

const COLUMNS = `
  SELECT n.nspname AS schema, c.relname AS name, c.relkind AS kind, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS required,
    EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)) AS is_key,
    (SELECT format('%s.%s', f.confrelid::regclass, t.attname) FROM pg_constraint f
      JOIN pg_attribute t ON t.attrelid = f.confrelid AND t.attnum = f.confkey[array_position(f.conkey, a.attnum)]
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey) LIMIT 1) AS target
  FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'
    AND ($1::text[] IS NULL OR n.nspname = ANY ($1))
    AND has_schema_privilege(n.oid, 'USAGE') AND has_column_privilege(c.oid, a.attnum, 'SELECT')
  ORDER BY n.nspname, c.relname, a.attnum`

/** The tables and views that the role may read, with its readable columns. */
export async function postgresTables(
  client: PostgresClient,
  schemas: readonly string[] | undefined,
): Promise<readonly SqlTable[]> {
  const { rows } = await client.query({ text: COLUMNS, values: [schemas ?? null] })
  const byTable = Map.groupBy(rows as readonly ColumnRow[], ({ schema, name }) =>
    schema === 'public' ? name : `${schema}.${name}`,
  )
  return [...byTable].map(([table, columns]) => {
    const references = columns.flatMap(({ column, target }) => (target === null ? [] : [`${column} → ${target}`]))
    return {
      table,
      kind: columns[0]!.kind === 'v' || columns[0]!.kind === 'm' ? 'view' : 'table',
      columns: columns.map(describeColumn),
      ...(references.length === 0 ? {} : { references }),
    }
  })
}

function describeColumn({ column, type, required, is_key: isKey }: ColumnRow): string {
  return [column, type, required ? 'NOT NULL' : '', isKey ? 'PRIMARY KEY' : ''].filter((word) => word !== '').join(' ')
}
