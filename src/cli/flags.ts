import { parseArgs } from 'node:util'
import type { ParseArgsConfig } from 'node:util'
import { MandateError, messageOf, nearest } from '../core/index.ts'

/** What every command understands. */
export interface Flags {
  /** One JSON value on stdout. */
  readonly json: boolean
  /** One JSON object a line on stdout: what happens, as it happens, or the items of a list. */
  readonly jsonl: boolean
  readonly dir: string | undefined
  readonly file: string | undefined
  /** All that were given: `run` takes them as attachments. */
  readonly files: readonly string[]
  readonly noInput: boolean
  readonly follow: boolean
  readonly at: string | undefined
  readonly scope: string | undefined
  readonly edit: string | undefined
  /** When a standing approval ends: a date, or a time such as `7d`. */
  readonly until: string | undefined
  /** Members that the input of a covered call must have, as JSON. */
  readonly only: string | undefined
  readonly reason: string | undefined
  readonly key: string | undefined
  readonly value: string | undefined
  readonly input: string | undefined
  /** The conversation to go on with, or the id of a new one. */
  readonly session: string | undefined
  readonly labels: string | undefined
  readonly fuel: string | undefined
  /** Limits of a run, as `money=5,timeMs=60000` or JSON. */
  readonly budget: string | undefined
  /** How many runs are listed. */
  readonly limit: string | undefined
  /** A file with a private key. */
  readonly sign: string | undefined
  /** A file with a public key. */
  readonly public: string | undefined
  /** A file with signed heads, one a line. */
  readonly heads: string | undefined
  /** The port to serve HTTP on. */
  readonly port: string | undefined
  /** The address to serve HTTP on. */
  readonly host: string | undefined
  /** A file with the tokens of a server. */
  readonly tokens: string | undefined
  /** Host names under which a server may be reached. */
  readonly hosts: string | undefined
  /** Origins of web pages that may call a server. */
  readonly origins: string | undefined
  /** Where newer prices are read from: a file or an address. */
  readonly from: string | undefined
  /** When a schedule is due, as crontab says it. */
  readonly cron: string | undefined
  /** How often a schedule is due. */
  readonly every: string | undefined
  /** The time zone of a schedule. */
  readonly zone: string | undefined
  readonly all: boolean
  /** Changes nothing, and fails where something would change. */
  readonly check: boolean
  /** A graph as a diagram. */
  readonly mermaid: boolean
  /** Adds the AGENTS.md of this folder to the prompts of the agents. */
  readonly agentsMd: boolean
  /** Starts the servers of `.mcp.json`. */
  readonly servers: boolean
  /** Shows made-up runs. */
  readonly demo: boolean
  readonly help: boolean
  readonly version: boolean
}

export const OPTIONS: readonly (readonly [string, string])[] = [
  ['--json', 'one JSON value on stdout'],
  ['--jsonl', 'one JSON object a line: events as they happen (run, resume, fork), entries, items of lists'],
  ['--dir <dir|url>', 'where runs are kept: a folder, or postgres://… (default: MANDATE_DIR, or .mandate)'],
  [
    '--file <file>',
    'run: a file that goes with the prompt (several times); elsewhere the agents of a run, when its journal does not say; the host of a program',
  ],
  ['--no-input', 'never ask on the terminal'],
  ['-f, --follow', 'logs: go on until the run ends'],
  ['--limit <number>', 'runs, inbox: how many are listed (default: 100)'],
  ['--at <seq>', 'fork: the last entry to share'],
  ['--input <json>', 'fork: another input; run: the arguments of a program; graph run: the input of the graph'],
  ['--session <id>', 'chat: the conversation to go on with, or the id of a new one'],
  ['--fuel <number>', 'run: what a program may spend (default: 100000)'],
  [
    '--budget <limits>',
    'run, chat, resume, fork, schedule put: limits of the run, such as money=5,timeMs=60000; on resume and fork instead of the recorded ones',
  ],
  ['--key <key> --value <json>', 'fork: what an effect gave instead'],
  [
    '--scope once|run|rule',
    'approve: this call, every call of the tool in this run, or what the same rules ask of the tool in all runs',
  ],
  ['--until <date|7d>', 'approve: when a scope of run or rule ends (default and most for rule: 30 days)'],
  ['--only <json>', 'approve: what the input must have for a scope of run or rule, such as {"to":"ana"}'],
  ['--reason <text>', 'approve, graph review: why, for the record'],
  ['--agents-md', 'run: what the AGENTS.md of this folder says is added to the system prompt'],
  ['--sign <file>', 'signs answers, and the head of an export, with this Ed25519 key (PEM or JWK)'],
  ['--public <file>', 'checks signatures of heads and answers with this key'],
  ['--heads <file>', 'verify, audit: signed heads that were kept elsewhere, one a line'],
  ['--all', 'verify: every run, as `audit` does; approvals, graph review list: also those that have ended'],
  ['--check', 'graph fmt: changes nothing, and fails where something would change'],
  ['--mermaid', 'graph show: as a Mermaid diagram'],
  ['--servers', 'doctor: also starts and asks the servers of .mcp.json'],
  [
    '--port <number>',
    'serve, studio: the port (default: 8787, 4321; 0: any free one); mcp: serves over HTTP on it instead of stdio',
  ],
  ['--demo', 'studio: made-up runs in memory, which need no key and cost nothing'],
  ['--host <address>', 'serve: the address (default: 127.0.0.1)'],
  ['--tokens <file>', 'serve: who may call, as [{ token | hash, identity, expiresAt }]; made where it does not exist'],
  ['--hosts <list>', 'serve: names under which it may be reached besides those of loopback'],
  ['--origins <list>', 'serve: origins of web pages that may call it, such as https://app.example.com'],
  ['--from <file|url>', 'prices refresh: data in the shape of https://models.dev/api.json'],
  ['--cron <fields>', 'schedule put: minute, hour, day, month and weekday, such as "0 9 * * 1-5", or @daily'],
  ['--every <time>', 'schedule put: how often, such as 30s, 5m, 12h or 1d'],
  ['--zone <name>', 'schedule put: the time zone of --cron, such as Europe/Berlin (default: UTC)'],
  ['--labels <list>', 'policy test: what the input is made from, such as untrusted:web,pii'],
  ['--edit <json>', 'approve: the input that shall run instead'],
  ['--version', 'the version of mandate'],
]

const STRINGS = [
  'dir',
  'at',
  'scope',
  'edit',
  'until',
  'only',
  'reason',
  'key',
  'value',
  'input',
  'session',
  'labels',
  'fuel',
  'budget',
  'limit',
  'sign',
  'public',
  'heads',
  'port',
  'host',
  'tokens',
  'hosts',
  'origins',
  'cron',
  'every',
  'zone',
  'from',
] as const

const PARSED = {
  ...(Object.fromEntries(STRINGS.map((name) => [name, { type: 'string' }])) as {
    [S in (typeof STRINGS)[number]]: { type: 'string' }
  }),
  file: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  jsonl: { type: 'boolean' },
  'no-input': { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  all: { type: 'boolean' },
  check: { type: 'boolean' },
  mermaid: { type: 'boolean' },
  'agents-md': { type: 'boolean' },
  servers: { type: 'boolean' },
  demo: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const satisfies ParseArgsConfig['options']

/** Flags that every command takes. */
const GENERAL: readonly string[] = ['json', 'jsonl', 'dir', 'file', 'no-input', 'help', 'version']
/** Flags of commands that hold a service: they sign, and check signatures. */
const KEYS = ['sign', 'public']
/** What each command takes besides: a flag of another command is refused, because it would be ignored. */
const OWN_FLAGS: Readonly<Record<string, readonly string[]>> = {
  run: ['input', 'fuel', 'budget', 'agents-md', ...KEYS],
  resume: ['budget', ...KEYS],
  fork: ['at', 'input', 'key', 'value', 'budget', ...KEYS],
  runs: ['limit'],
  inbox: ['limit'],
  logs: ['follow'],
  approve: ['scope', 'edit', 'until', 'only', 'reason', ...KEYS],
  approvals: ['all', ...KEYS],
  revoke: KEYS,
  deny: KEYS,
  answer: KEYS,
  verify: ['public', 'heads', 'all'],
  audit: ['public', 'heads'],
  policy: ['input', 'labels'],
  prices: ['from'],
  graph: ['input', 'budget', 'check', 'mermaid', 'reason', 'all', ...KEYS],
  repl: ['budget', ...KEYS],
  chat: ['session', 'budget', ...KEYS],
  schedule: ['cron', 'every', 'zone', 'budget', ...KEYS],
  serve: ['port', 'host', 'tokens', 'hosts', 'origins', ...KEYS],
  studio: ['port', 'demo', ...KEYS],
  mcp: ['port', ...KEYS],
  export: ['sign'],
  import: ['public'],
  doctor: ['servers'],
}

/** Refuses flags that a command does not take. */
export function checkFlags(command: string, argv: readonly string[]): void {
  const taken = [...GENERAL, ...(OWN_FLAGS[command] ?? [])]
  const other = Object.keys(parse(argv).values).find((name) => !taken.includes(name))
  if (other === undefined) return
  const takers = Object.keys(OWN_FLAGS).filter((name) => OWN_FLAGS[name]!.includes(other))
  throw new MandateError(
    'INPUT_INVALID',
    `\`mandate ${command}\` does not take --${other}. It belongs to: ${takers.join(', ')}.`,
  )
}

/** Reads the command line. An unknown flag is refused with the nearest known one. */
export function readFlags(argv: readonly string[]): { flags: Flags; words: readonly string[] } {
  const { values, positionals } = parse(argv)
  const { until, only, reason, cron, every, zone, session, host, tokens, hosts, origins } = values
  const { dir, at, scope, edit, key, value, input, labels, fuel, budget, limit, sign, heads, port, from } = values
  const flags = {
    ...{ dir, at, scope, edit, key, value, input, labels, fuel, budget, limit, sign, heads, port, from },
    ...{ until, only, reason, cron, every, zone, session, host, tokens, hosts, origins },
    file: values.file?.at(-1),
    files: values.file ?? [],
    public: values.public,
    all: values.all ?? false,
    check: values.check ?? false,
    mermaid: values.mermaid ?? false,
    agentsMd: values['agents-md'] ?? false,
    json: values.json ?? false,
    jsonl: values.jsonl ?? false,
    noInput: values['no-input'] ?? false,
    follow: values.follow ?? false,
    servers: values.servers ?? false,
    demo: values.demo ?? false,
    help: values.help ?? false,
    version: values.version ?? false,
  }
  return { flags, words: positionals }
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
            Object.keys(PARSED).map((name) => `--${name}`),
          )
    const hint = meant === undefined ? '`mandate --help` lists them.' : `Did you mean ${meant}?`
    const message = unknown === undefined ? messageOf(cause) : `${unknown} is not an option. ${hint}`
    throw new MandateError('INPUT_INVALID', message, { cause })
  }
}

// eslint-disable-next-line typescript/explicit-function-return-type -- the type follows from the table of flags.
const parseKnown = (argv: readonly string[]) => parseArgs({ args: [...argv], allowPositionals: true, options: PARSED })
