import { parseArgs } from 'node:util'

/** What every command understands. */
export interface Flags {
  /** One JSON object on stdout. */
  readonly json: boolean
  /** One JSON object a line on stdout, as things happen. */
  readonly jsonl: boolean
  readonly dir: string | undefined
  readonly file: string | undefined
  readonly noInput: boolean
  readonly follow: boolean
  readonly at: string | undefined
  readonly scope: string | undefined
  readonly edit: string | undefined
  readonly key: string | undefined
  readonly value: string | undefined
  readonly input: string | undefined
  readonly fuel: string | undefined
  readonly help: boolean
}

export const OPTIONS: readonly (readonly [string, string])[] = [
  ['--json', 'one JSON object on stdout'],
  ['--jsonl', 'one JSON object a line, as things happen (run, resume, logs)'],
  ['--dir <dir>', 'where runs are kept (default: MANDATE_DIR, or .mandate)'],
  ['--file <file>', 'the agents of a run, when its journal does not say'],
  ['--no-input', 'never ask on the terminal'],
  ['-f, --follow', 'logs: go on until the run ends'],
  ['--at <seq>', 'fork: the last entry to share'],
  ['--input <json>', 'fork: another input; run: the arguments of a program'],
  ['--fuel <number>', 'run: what a program may spend (default: 100000)'],
  ['--key <key> --value <json>', 'fork: what an effect gave instead'],
  ['--scope once|run|rule', 'approve: how far it reaches'],
  ['--edit <json>', 'approve: the input that shall run instead'],
]

const STRINGS = ['dir', 'file', 'at', 'scope', 'edit', 'key', 'value', 'input', 'fuel'] as const

/** Reads the command line; what is not known is refused, not ignored. */
export function readFlags(argv: readonly string[]): { flags: Flags; words: readonly string[] } {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...(Object.fromEntries(STRINGS.map((name) => [name, { type: 'string' }])) as {
        [S in (typeof STRINGS)[number]]: { type: 'string' }
      }),
      json: { type: 'boolean' },
      jsonl: { type: 'boolean' },
      'no-input': { type: 'boolean' },
      follow: { type: 'boolean', short: 'f' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const { dir, file, at, scope, edit, key, value, input, fuel } = values
  const flags = {
    ...{ dir, file, at, scope, edit, key, value, input, fuel },
    json: values.json ?? false,
    jsonl: values.jsonl ?? false,
    noInput: values['no-input'] ?? false,
    follow: values.follow ?? false,
    help: values.help ?? false,
  }
  return { flags, words: positionals }
}
