import { fileURLToPath } from 'node:url'
import { MUTATION_ENV, mutate } from './mutation.ts'
import type { Mutation } from './mutation.ts'
import { MUTATIONS } from './mutations.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The mutations with these ids, in the order of the table. */
export function mutationsOf(ids: readonly string[]): readonly Mutation[] {
  const unknown = ids.filter((id) => !MUTATIONS.some((one) => one.id === id))
  if (unknown.length > 0) throw new Error(`There is no mutation ${unknown.join(', ')}.`)
  return MUTATIONS.filter(({ id }) => ids.includes(id))
}

/** The mutation that this process runs under. Read anew each time: workers get their environment after they have started. */
export function chosen(): Mutation | undefined {
  const id = process.env[MUTATION_ENV]
  return id === undefined ? undefined : mutationsOf([id])[0]
}

export function concerns(row: Mutation | undefined, path: string): row is Mutation {
  return row !== undefined && path.replace(/\?.*$/, '') === root + row.file
}

/** The source of a file of this repository, changed where a mutation concerns it. */
export function switched(row: Mutation | undefined, path: string, source: string): string | undefined {
  return concerns(row, path) ? mutate(source, row) : undefined
}
