interface Option {
  readonly type: 'string' | 'boolean'
  /** The placeholder of its value in help texts. */
  readonly value?: string
  /** Its one-letter form. */
  readonly short?: string
  readonly multiple?: true
  /** The description of a general option; other options are described by the commands that take them. */
  readonly about?: string
}

/** All options of the command line: how they are parsed, and how help and completion show them. */
export const OPTIONS = {
  json: { type: 'boolean', about: 'print one JSON value on stdout; errors too' },
  jsonl: { type: 'boolean', about: 'print one JSON object per line, as events happen' },
  dir: { type: 'string', value: '<dir|url>', about: 'where runs are stored (default: MANDATE_DIR, or .mandate)' },
  store: { type: 'string', value: '<dir|url>', about: 'another name for --dir' },
  file: { type: 'string', value: '<file>', multiple: true, about: 'the file with the agents, if it is not known' },
  'no-input': { type: 'boolean', about: 'never ask on the terminal' },
  quiet: { type: 'boolean', short: 'q', about: 'print only results, questions and errors' },
  verbose: {
    type: 'boolean',
    short: 'v',
    about: 'also print decisions, results, thoughts of models, causes of errors',
  },
  color: { type: 'string', value: '<when>', about: 'auto, always or never (default: auto, which respects NO_COLOR)' },
  help: { type: 'boolean', short: 'h', about: 'show the help of a command' },
  version: { type: 'boolean', about: 'print the version' },
  pack: { type: 'string', value: '<name>', multiple: true },
  model: { type: 'string', value: '<id>' },
  'older-than': { type: 'string', value: '<time>' },
  keep: { type: 'string', value: '<runs>' },
  'max-bytes': { type: 'string', value: '<bytes>' },
  yes: { type: 'boolean' },
  template: { type: 'string', value: '<name>' },
  at: { type: 'string', value: '<seq>' },
  scope: { type: 'string', value: '<scope>' },
  edit: { type: 'string', value: '<json>' },
  until: { type: 'string', value: '<date|7d>' },
  only: { type: 'string', value: '<json>' },
  reason: { type: 'string', value: '<text>' },
  key: { type: 'string', value: '<key>' },
  value: { type: 'string', value: '<json>' },
  input: { type: 'string', value: '<json>' },
  context: { type: 'string', value: '<file>' },
  session: { type: 'string', value: '<id>' },
  labels: { type: 'string', value: '<list>' },
  fuel: { type: 'string', value: '<number>' },
  budget: { type: 'string', value: '<limits>' },
  limit: { type: 'string', value: '<number>' },
  status: { type: 'string', value: '<list>' },
  agent: { type: 'string', value: '<name>' },
  text: { type: 'string', value: '<words>' },
  parent: { type: 'string', value: '<run>' },
  after: { type: 'string', value: '<run>' },
  sign: { type: 'string', value: '<key file>' },
  public: { type: 'string', value: '<key file>' },
  heads: { type: 'string', value: '<file>' },
  port: { type: 'string', value: '<number>' },
  host: { type: 'string', value: '<address>' },
  tokens: { type: 'string', value: '<file>' },
  hosts: { type: 'string', value: '<list>' },
  origins: { type: 'string', value: '<list>' },
  cron: { type: 'string', value: '<fields>' },
  every: { type: 'string', value: '<time>' },
  zone: { type: 'string', value: '<name>' },
  from: { type: 'string', value: '<file|url>' },
  baseline: { type: 'string', value: '<file>' },
  repeat: { type: 'string', value: '<number>' },
  concurrency: { type: 'string', value: '<number>' },
  tag: { type: 'string', value: '<list>' },
  cassette: { type: 'string', value: '<mode>' },
  out: { type: 'string', value: '<folder>' },
  since: { type: 'string', value: '<date|7d>' },
  'update-baseline': { type: 'boolean' },
  bench: { type: 'boolean' },
  follow: { type: 'boolean', short: 'f' },
  all: { type: 'boolean' },
  check: { type: 'boolean' },
  mermaid: { type: 'boolean' },
  'agents-md': { type: 'boolean' },
  servers: { type: 'boolean' },
  demo: { type: 'boolean' },
  'read-only': { type: 'boolean' },
  detach: { type: 'boolean' },
  priority: { type: 'string', value: '<priority>' },
  engine: { type: 'string', value: '<name>' },
  queues: { type: 'string', value: '<list>' },
  drain: { type: 'string', value: '<seconds>' },
  deployment: { type: 'string', value: '<name>' },
} as const

export type OptionName = keyof typeof OPTIONS

/** The options that every command takes. */
export const GENERAL: readonly OptionName[] = optionNames().filter((name) => 'about' in OPTIONS[name])

export function optionNames(): readonly OptionName[] {
  return Object.keys(OPTIONS) as OptionName[]
}

/** Returns an option for help texts and completions. */
export function optionOf(name: OptionName): Option {
  return OPTIONS[name]
}
