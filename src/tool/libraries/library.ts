import { installedPackages } from '../../core/index.ts'

/** Which side of a schema is meant: what it takes, or what it makes of that. */
export type SchemaSide = 'input' | 'output'

/** Finds the installed copies of a package, best first. */
export type FindCopies = (name: string) => Iterable<unknown>

interface AskedFor {
  readonly side: SchemaSide
  readonly isStrict: boolean
  readonly find: FindCopies
}

/** How one schema library says its schemas as JSON Schema. */
export interface SchemaLibrary {
  /**
   * The ways to convert, best first. Each may throw or give nothing where its version cannot tell. Strictly, a part that JSON Schema cannot say
   * makes the whole fail; otherwise anything is allowed in its place.
   */
  ways(schema: object, asked: AskedFor): Iterable<() => unknown>
  /** What to do where no way leads to a JSON Schema. */
  fix(schema: object): string
}

/** The installed copies; none where there is no Node. */
export const installedCopies: FindCopies = (name) => installedPackages()?.copies(name) ?? []

/** The members of a value, as far as it has any. */
export function membersOf(value: unknown): { readonly [name: string]: unknown } {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder ? (value as { readonly [name: string]: unknown }) : {}
}

/** A function of a package by its name, also where the package keeps it under `default`. */
export function functionOf(copy: unknown, name: string): ((...args: unknown[]) => unknown) | undefined {
  const own = membersOf(copy)[name] ?? membersOf(membersOf(copy)['default'])[name]
  return typeof own === 'function' ? (own as (...args: unknown[]) => unknown) : undefined
}
