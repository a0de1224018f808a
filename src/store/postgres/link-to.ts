import { PostgresLink } from './link.ts'
import { linkOptions } from './options.ts'

/** A connection pool for a URL, for other rooms that keep tables beside the journal's. */
export function linkTo(url: string, poolSize: number, schema?: string): PostgresLink {
  return new PostgresLink(linkOptions({ url, poolSize, schema }))
}
