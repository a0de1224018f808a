import { PostgresLink } from './link.ts'
import { linkOptions } from './options.ts'

/** A way to the server of a URL, for others who keep tables beside the journal's. */
export function linkTo(url: string, poolSize: number): PostgresLink {
  return new PostgresLink(linkOptions({ url, poolSize }))
}
