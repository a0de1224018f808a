/** One guard, limit or check, and how it is switched off: a piece of source is replaced while a test loads it. Production code has no switch. */
export interface Mutation {
  readonly id: string
  readonly room:
    | 'gate'
    | 'run'
    | 'vm'
    | 'redaction'
    | 'connect'
    | 'server'
    | 'tool'
    | 'agent'
    | 'graph'
    | 'repl'
    | 'team'
    | 'chat'
    | 'store'
  /** The source file, from the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** The smallest test files that must fail without it. */
  readonly tests: readonly string[]
  /** A pattern for `vitest -t`, where a file has more tests than are needed. */
  readonly pattern?: string | undefined
}

// Tables of mutations import nothing of `src` but types: what a process has loaded before its mutation is applied stays as it is.

/** The environment variable that names the mutation of a test process and of all processes below it. */
export const MUTATION_ENV = 'MANDATE_MUTATION'

/** The rows that a run of vitest tries, and the file that gets what they came to. */
export const LISTED_ENV = 'MANDATE_MUTATIONS'
export const REPORT_ENV = 'MANDATE_MUTATION_REPORT'

/** How often a piece of text occurs. */
export function occurrences(text: string, piece: string): number {
  return piece === '' ? 0 : text.split(piece).length - 1
}

/** The source with the guard off; a mutation that no longer fits its file must not pass for one that was applied. */
export function mutate(source: string, { id, file, find, replace }: Mutation): string {
  const count = occurrences(source, find)
  if (count === 1) return source.replace(find, () => replace)
  throw new Error(`The mutation ${id} looks for a piece of ${file} that occurs ${count} times. Change its \`find\`.`)
}
