/** The effect of an option, as far as the inspection of commands needs it. */
export type Role =
  /** No effect of interest. */
  | 'flag'
  /** Takes text or a number. */
  | 'value'
  /** Takes a path, which must be in the workspace. */
  | 'path'
  /** Takes a folder to which later paths are relative. */
  | 'chdir'
  /** Runs a program, or code given to it. */
  | 'run'
  /** Writes a file as a side effect. */
  | 'write'
  /** Takes names, options or addresses from a source that is not inspected. */
  | 'reach'
  /** Follows links below the named paths. */
  | 'follow'
  /** Takes a setting of git, `name=value`. */
  | 'config'

const ROLES: readonly Role[] = ['flag', 'value', 'path', 'chdir', 'run', 'write', 'reach', 'follow', 'config']

/** Roles with a value, unless the option is marked otherwise. */
const WITH_VALUE: ReadonlySet<Role> = new Set(['value', 'path', 'chdir', 'run', 'write', 'reach', 'config'])

/**
 * The meaning of a program's arguments: for each role its options, separated by blanks. `-abc` stands for three options of one letter. A `?` at the
 * end: the value is optional and attached. A `!`: no value.
 */
export type ProgramTable = { readonly [role in Role]?: string } & {
  /** What arguments other than options are; paths by default. */
  readonly operands?:
    | 'paths'
    | 'text'
    /** The first is a pattern, unless an option in `patterns` gave it. */
    | 'pattern'
    /** The first is code, unless the `sandbox` option is given. */
    | 'code'
    /** `name=path`. */
    | 'assignments'
    /** The first is another program. */
    | 'command'
    /** The first is a name in `commands`. */
    | 'subcommand'
    | undefined
  readonly patterns?: string | undefined
  /** An option with which the program itself keeps its code from running programs and opening files. */
  readonly sandbox?: string | undefined
  /** `words`: options are whole words (`-name`). `pairs`: short options may have two letters. `tar`: a first argument without a dash is bundled options. */
  readonly style?: 'getopt' | 'words' | 'pairs' | 'tar' | undefined
  /** `--no-` before a long option turns it off. */
  readonly negatable?: boolean | undefined
  /** Operands may be on other machines: `host:path`, `transport::address`. */
  readonly remotes?: boolean | undefined
  readonly commands?: { readonly [name: string]: ProgramTable } | undefined
}

export interface OptionFacts {
  readonly role: Role
  readonly takes: 'none' | 'required' | 'optional'
}

export type OptionTable = ReadonlyMap<string, OptionFacts>

const compiled = new WeakMap<ProgramTable, OptionTable>()

/** The options of a program by name, including dashes. */
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

/** Merges two tables; the second adds to the first. */
export function joined(one: ProgramTable, other: ProgramTable): ProgramTable {
  const both: { [role in Role]?: string } = {}
  for (const role of ROLES) {
    const text = [one[role], other[role]].filter((part) => part !== undefined).join(' ')
    if (text !== '') both[role] = text
  }
  return { ...one, ...other, ...both }
}
