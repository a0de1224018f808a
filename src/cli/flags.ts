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

/** What was typed: an option `--no-input` is `noInput`; one that was not given is false or nothing. */
export interface Flags extends Values {
  /** All that were given: `run` takes them as attachments. */
  readonly files: readonly string[]
  /** All ready packs that were named. */
  readonly packs: readonly string[]
}

/** Refuses flags that a command does not take, because it would ignore them. */
export function checkFlags(command: string, argv: readonly string[]): void {
  const taken: readonly string[] = optionsOf(command)
  const other = Object.keys(parse(argv).values).find((name) => !taken.includes(name))
  if (other === undefined) return
  const takers = [...COMMANDS.keys()].filter((name) => optionsOf(name).includes(other as OptionName))
  throw new MandateError(
    'INPUT_INVALID',
    `\`mandate ${command}\` does not take --${other}. It belongs to: ${takers.join(', ')}.`,
  )
}

/** Reads the command line. An unknown flag is refused with the nearest known one. */
export function readFlags(argv: readonly string[]): { flags: Flags; words: readonly string[] } {
  const { values, positionals } = parse(argv)
  const given: Readonly<Record<string, unknown>> = values
  const read = (name: OptionName): unknown => {
    const value = given[name]
    if (Array.isArray(value)) return value.at(-1)
    return OPTIONS[name].type === 'boolean' ? (value ?? false) : value
  }
  const entries = optionNames().map((name) => [camelCase(name), read(name)] as const)
  const lists = { files: values.file ?? [], packs: values.pack ?? [] }
  return { flags: { ...(Object.fromEntries(entries) as Values), ...lists }, words: positionals }
}

function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function parse(argv: readonly string[]): ReturnType<typeof parseKnown> {
  try {
    return parseKnown(argv)
  } catch (cause) {
    const [, unknown] = /^Unknown option '(-{1,2}[^']*)'/.exec(messageOf(cause)) ?? []
    const meant =
      unknown === undefined
        ? undefined
        : nearest(
            unknown,
            optionNames().map((name) => `--${name}`),
          )
    const hint = meant === undefined ? '`mandate --help` lists them.' : `Did you mean ${meant}?`
    const message = unknown === undefined ? messageOf(cause) : `${unknown} is not an option. ${hint}`
    throw new MandateError('INPUT_INVALID', message, { cause })
  }
}

// eslint-disable-next-line typescript/explicit-function-return-type -- the type follows from the table of flags.
const parseKnown = (argv: readonly string[]) => parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS })
