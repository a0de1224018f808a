import type { CatalogKind } from '../blueprint/blueprint.ts'

/** The names that graphs can use: everything that a host has registered, including aliases. */
export interface Catalog {
  /** The registered name for a name or an alias; `undefined` if there is none. */
  find(kind: CatalogKind, name: string): string | undefined
  /** Every name and alias of a kind, sorted. */
  names(kind: CatalogKind): readonly string[]
}
