import { installedPackages } from '../../core/index.ts'

/** The side of a schema: its input, or the output of its transforms. */
export type SchemaSide = 'input' | 'output'

/** Finds the installed copies of a package, best first. */
export type FindCopies = (name: string) => Iterable<unknown>

interface AskedFor {
  readonly side: SchemaSide
  readonly isStrict: boolean
  readonly find: FindCopies
}

/** How one schema library converts its schemas to JSON Schema. */
export interface SchemaLibrary {
  /**
   * The conversions, best first. Each may throw or return `undefined` if the version does not support it. Strictly, a part that JSON Schema cannot
   * express makes the conversion fail; otherwise anything is allowed in its place.
   */
  ways(schema: object, asked: AskedFor): Iterable<() => unknown>
  /** How to fix a schema that cannot be converted. */
  fix(schema: object): string
}

/** The installed copies; none outside Node. */
export const installedCopies: FindCopies = (name) => installedPackages()?.copies(name) ?? []

/** The members of a value, if it has any. */
export function membersOf(value: unknown): { readonly [name: string]: unknown } {
  const isHolder = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isHolder ? (value as { readonly [name: string]: unknown }) : {}
}

/** A function of a package by its name, even if the package has it under `default`. */
export function functionOf(copy: unknown, name: string): ((...args: unknown[]) => unknown) | undefined {
  const own = membersOf(copy)[name] ?? membersOf(membersOf(copy)['default'])[name]
  return typeof own === 'function' ? (own as (...args: unknown[]) => unknown) : undefined
}
