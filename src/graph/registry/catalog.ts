import type { CatalogKind } from '../blueprint/blueprint.ts'

/** What graphs can name: everything that a host has registered, aliases included. */
export interface Catalog {
  /** The registered name behind a name or an alias; `undefined` when there is none. */
  find(kind: CatalogKind, name: string): string | undefined
  /** Every name and alias of a kind, sorted. */
  names(kind: CatalogKind): readonly string[]
}
