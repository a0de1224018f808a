import { parseArgs } from 'node:util'
import { MandateError, messageOf, nearest } from '../core/index.ts'
import { COMMANDS, optionsOf } from './help/commands.ts'
import { OPTIONS, optionNames } from './help/options.ts'
import type { OptionName } from './help/options.ts'

type Options = typeof OPTIONS
type Camel<S extends string> = S extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : S
type Values = {
  readonly [Name in OptionName as Camel<Name>]: Options[Name]['type'] extends 'boolean' ? boolean : string | undefined
}

/** The typed options: `--no-input` becomes `noInput`; an option that was not given is false or undefined. */
export interface Flags extends Values {
  /** All values of --file; `run` takes them as attachments. */
  readonly files: readonly string[]
  /** All values of --pack. */
  readonly packs: readonly string[]
}

/** Rejects flags that a command does not take, because it would ignore them. */
export function checkFlags(command: string, argv: readonly string[]): void {
  const taken: readonly string[] = optionsOf(command)
  const { values, positionals } = parse(argv)
  const other = Object.keys(values).find((name) => !taken.includes(name))
  if (other === undefined) return checkVerb(command, positionals, Object.keys(values) as OptionName[])
  const takers = [...COMMANDS.keys()].filter((name) => optionsOf(name).includes(other as OptionName))
  throw new MandateError(
    'INPUT_INVALID',
    `\`mandate ${command}\` does not take --${other}. It belongs to: ${takers.join(', ')}.`,
  )
}

/** Rejects options that belong to another verb of the command: their help texts begin with the verb, as in `run: the input`. */
function checkVerb(command: string, words: readonly string[], given: readonly OptionName[]): void {
  const { actions = [], options = {} } = COMMANDS.get(command) ?? {}
  const typed = words[0] === command ? words.slice(1) : words
  const verbs = actions.map(([action]) => action.replace(/ ?[<[-].*$/u, ''))
  for (const name of given) {
    const verb = /^([a-z-]+(?: [a-z-]+)?): /u.exec(options[name] ?? '')?.[1]
    if (verb === undefined || typed.length === 0 || !verbs.some((one) => `${one} `.startsWith(`${verb} `))) continue
    if (!`${typed.join(' ')} `.startsWith(`${verb} `))
      throw new MandateError('INPUT_INVALID', `--${name} belongs to \`mandate ${command} ${verb}\`. Leave it out here.`)
  }
}

/** Parses the command line. An unknown flag is rejected with the nearest known one. */
export function readFlags(argv: readonly string[]): { flags: Flags; words: readonly string[] } {
  const { values, positionals } = parse(argv)
  const given: Readonly<Record<string, unknown>> = values
  const read = (name: OptionName): unknown => {
    const value = given[name]
    if (Array.isArray(value)) return value.at(-1)
    return OPTIONS[name].type === 'boolean' ? (value ?? false) : value
  }
  if (values.dir !== undefined && values.store !== undefined && values.dir !== values.store)
    throw new MandateError(
      'INPUT_INVALID',
      '--dir and --store are the same option, and were given different values. Give one of them.',
    )
  const entries = optionNames().map((name) => [camelCase(name), read(name)] as const)
  const lists = { files: values.file ?? [], packs: values.pack ?? [] }
  const dir = values.dir ?? values.store
  return { flags: { ...(Object.fromEntries(entries) as Values), dir, ...lists }, words: positionals }
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function parse(argv: readonly string[]): ReturnType<typeof parseKnown> {
  try {
    return parseKnown(argv)
  } catch (cause) {
    throw new MandateError('INPUT_INVALID', explained(messageOf(cause)), { cause })
  }
}

/** Rewrites a parser error of Node as advice on what to type instead. */
function explained(problem: string): string {
  const [, unknown] = /^Unknown option '(-{1,2}[^']*)'/.exec(problem) ?? []
  if (unknown !== undefined) {
    const names = optionNames().map((name) => `--${name}`)
    const meant = nearest(unknown, names)
    return `${unknown} is not an option. ${meant === undefined ? '`mandate --help` lists them.' : `Did you mean ${meant}?`}`
  }
  const [, option] = /^Option '(?:-\w, )?(--[^ ']+).*' argument (?:is ambiguous|missing)/.exec(problem) ?? []
  if (option === undefined) return problem
  return `${option} needs a value. Write a value that begins with a dash after "=": ${option}=-x`
}

// eslint-disable-next-line typescript/explicit-function-return-type -- the type follows from the table of flags.
const parseKnown = (argv: readonly string[]) => parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS })
