/** What an option does, as far as it matters to the inspection of a command. */
export type Role =
  /** Nothing that matters. */
  | 'flag'
  /** Takes text or a number. */
  | 'value'
  /** Takes a path, which must lie in the workspace. */
  | 'path'
  /** Takes a folder from which later paths are resolved. */
  | 'chdir'
  /** Runs a program, or code that is given to it. */
  | 'run'
  /** Writes a file beside the purpose of the program. */
  | 'write'
  /** Takes names, options or addresses from where they are not inspected. */
  | 'reach'
  /** Follows links that are met below the paths that are named. */
  | 'follow'
  /** Takes a setting of git, `name=value`. */
  | 'config'

const ROLES: readonly Role[] = ['flag', 'value', 'path', 'chdir', 'run', 'write', 'reach', 'follow', 'config']

/** Roles that take a value unless their option says otherwise. */
const WITH_VALUE: ReadonlySet<Role> = new Set(['value', 'path', 'chdir', 'run', 'write', 'reach', 'config'])

/**
 * What a program's arguments mean: for each role the options that have it, separated by blanks. `-abc` stands for three options of one letter. A `?` at
 * the end: the value is optional and attached. A `!`: no value.
 */
export type ProgramTable = { readonly [role in Role]?: string } & {
  /** What arguments are that are no options; paths when absent. */
  readonly operands?:
    | 'paths'
    | 'text'
    /** The first is a pattern, unless one of the options in `patterns` gave it. */
    | 'pattern'
    /** The first is code, unless `sandbox` is among the options. */
    | 'code'
    /** `name=path`. */
    | 'assignments'
    /** The first is another program. */
    | 'command'
    /** The first is a name in `commands`. */
    | 'subcommand'
    | undefined
  readonly patterns?: string | undefined
  /** An option under which the program itself keeps its code from running programs and from files. */
  readonly sandbox?: string | undefined
  /**
   * `words`: options are whole words (`-name`). `pairs`: short options may have two letters. `tar`: a first argument without a dash is a bundle of options.
   */
  readonly style?: 'getopt' | 'words' | 'pairs' | 'tar' | undefined
  /** `--no-` before a long option turns it off. */
  readonly negatable?: boolean | undefined
  /** Operands may be addresses of other machines: `host:path`, `transport::address`. */
  readonly remotes?: boolean | undefined
  readonly commands?: { readonly [name: string]: ProgramTable } | undefined
}

export interface OptionFacts {
  readonly role: Role
  readonly takes: 'none' | 'required' | 'optional'
}

export type OptionTable = ReadonlyMap<string, OptionFacts>

const compiled = new WeakMap<ProgramTable, OptionTable>()

/** The options of a program by name, dashes included. */
export function optionsOf(program: ProgramTable): OptionTable {
  const known = compiled.get(program)
  if (known !== undefined) return known
  const options = new Map<string, OptionFacts>()
  for (const role of ROLES) {
    for (const word of (program[role] ?? '').split(/\s+/).filter((name) => name !== '')) {
      const mark = /[?!]$/.exec(word)?.[0]
      const takes = mark === '?' ? 'optional' : mark === undefined && WITH_VALUE.has(role) ? 'required' : 'none'
      for (const name of namesIn(mark === undefined ? word : word.slice(0, -1), program))
        options.set(name, { role, takes })
    }
  }
  compiled.set(program, options)
  return options
}

function namesIn(word: string, { style }: ProgramTable): readonly string[] {
  if (word.startsWith('--') || style === 'words' || style === 'pairs') return [word]
  return word
    .slice(1)
    .split('')
    .map((letter) => `-${letter}`)
}

/** Two tables in one; the second adds to the first. */
export function joined(one: ProgramTable, other: ProgramTable): ProgramTable {
  const both: { [role in Role]?: string } = {}
  for (const role of ROLES) {
    const text = [one[role], other[role]].filter((part) => part !== undefined).join(' ')
    if (text !== '') both[role] = text
  }
  return { ...one, ...other, ...both }
}
