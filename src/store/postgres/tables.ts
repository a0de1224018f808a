import { PostgresLink } from './link.ts'
import type { Session } from './link.ts'
import { migrate } from './migrations.ts'
import type { Part } from './migrations.ts'
import { linkOptions } from './options.ts'

const CONNECTIONS = 4

/** Tables of another room in the schema of a store: what is written there can hold together with what the store writes. */
export interface Tables extends Session {
  readonly schema: string
  /** A table of the schema, as statements name it. */
  table(name: string): string
  /** Makes or migrates the tables. Before anything is asked. */
  open(): Promise<void>
  close(): Promise<void>
}

/** The tables of a part, on connections of their own. */
export function tablesBeside(url: string, schema: string | undefined, part: Part): Tables {
  const link = new PostgresLink(linkOptions({ url, schema, poolSize: CONNECTIONS }))
  let ready: Promise<void> | undefined
  return {
    schema: link.options.schema,
    table: (name) => link.table(name),
    query: (sql, values) => link.query(sql, values),
    open() {
      ready ??= migrate(link, part).then(() => {})
      // What failed for once may be tried again.
      ready.catch(() => (ready = undefined))
      return ready
    },
    close: () => link.close(),
  }
}
