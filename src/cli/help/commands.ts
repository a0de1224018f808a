import { EVAL_HELP, METRICS_HELP } from './eval-help.ts'
import { GENERAL } from './options.ts'
import type { OptionName } from './options.ts'

/** The groups that the overview shows commands in. */
export const THEMES = {
  start: 'Start',
  runs: 'Look at runs',
  people: 'Answer what waits',
  control: 'Steer runs',
  trust: 'Policy and audit',
  serve: 'Serve and schedule',
  store: 'Stores',
  help: 'Help',
} as const

type OptionTexts = Readonly<Partial<Record<OptionName, string>>>

/** What the help and the completion of one command say. The code of a command is loaded when it runs. */
export interface CommandHelp {
  readonly theme: keyof typeof THEMES
  /** The words behind the name of the command. */
  readonly usage: string
  /** One line of the overview. */
  readonly about: string
  /** What else its own help says. */
  readonly more?: string
  /** Of a command with several verbs: the words of each, and what it does. */
  readonly actions?: readonly (readonly [words: string, about: string])[]
  /** The options it takes besides those of every command; with the names of those, what they mean here. */
  readonly options?: OptionTexts
  /** Command lines without `mandate`, and what they do. */
  readonly examples: readonly (readonly [words: string, about: string])[]
  /** What the words behind it are, for completion. */
  readonly words?: 'run' | 'approval' | 'file' | 'command'
}

const SIGNING: OptionTexts = {
  sign: 'sign answers with this Ed25519 key (PEM or JWK)',
  public: 'believe only answers that this key has signed',
}
const READ_ONLY = 'show runs, and refuse whatever would change something'
const BUDGET = 'limits of the run, such as money=5,timeMs=60000'
const FILE_OF_AGENTS = 'the file with the agents (default: mandate.config.ts)'

const TABLE: Readonly<Record<string, CommandHelp>> = {
  init: {
    theme: 'start',
    usage: '[folder]',
    about: 'Make a new project from a template',
    more: 'Templates: agent (an agent with tools), chat (an application with useChat), analyst (code mode over data), graph (a graph with review), mcp (a governed MCP server). Each runs offline at once. Nothing that exists is overwritten.',
    options: { template: 'agent, chat, analyst, graph or mcp (default: asked for, or agent)' },
    examples: [
      ['init my-agent', 'asks for the template'],
      ['init my-chat --template chat', 'without a question'],
    ],
  },
  run: {
    theme: 'start',
    usage: '<file|agent> [prompt]',
    about: 'Run an agent, a program or a script',
    more: 'The file exports an agent; a name means an agent of mandate.config.ts. A .json file is a program and a .js file a script: the words behind it are its arguments, as JSON. Every run is stored, and its id is all that show, resume, fork and replay need.',
    options: {
      budget: BUDGET,
      file: 'a picture or document that goes with the prompt; for a program, its host',
      input: 'the arguments of a program, as JSON',
      fuel: 'what a program may spend (default: 100000)',
      'agents-md': 'add the AGENTS.md of this folder to the system prompt',
      ...SIGNING,
    },
    examples: [
      ['run agent.ts "How warm is it in Oslo?"', 'run the agent that a file exports'],
      ['run writer "A haiku" --budget money=0.10', 'an agent of mandate.config.ts, for at most 10 cents'],
      ['run agent.ts "What is this?" --file photo.png', 'with a picture'],
      ['run agent.ts "Go on" --jsonl', 'events as they happen, for a program'],
    ],
    words: 'file',
  },
  chat: {
    theme: 'start',
    usage: '[file|agent]',
    about: 'Talk to an agent',
    more: 'A line is a message; /help shows the commands. Every turn is a run. From a pipe each line is a message.',
    options: { session: 'the conversation to go on with, or the id of a new one', budget: BUDGET, ...SIGNING },
    examples: [
      ['chat', 'talk to the first agent of mandate.config.ts'],
      ['chat writer --session trip', 'another agent, and an id to come back to'],
      ['chat agent.ts --json < questions.txt', 'messages from a file, each turn as JSON'],
    ],
    words: 'file',
  },
  repl: {
    theme: 'start',
    usage: '[session]',
    about: 'Evaluate cells of code over variables that stay',
    more: ':help shows the commands. Ctrl-C ends a cell, the session stays. Cells can also come from a pipe.',
    options: { budget: BUDGET, file: FILE_OF_AGENTS, ...SIGNING },
    examples: [
      ['repl sales', 'open a session, or go on with it'],
      ["echo '1 + 1' | mandate repl", 'a cell from a pipe'],
    ],
  },
  studio: {
    theme: 'start',
    usage: '[file]',
    about: 'Show runs, and what waits, in the browser',
    more: 'Agents come from the file, or from mandate.config.ts. The link it prints signs the browser in.',
    options: {
      port: 'the port (default: 4321, or a free one)',
      demo: 'show made-up runs, kept in memory',
      'read-only': READ_ONLY,
      ...SIGNING,
    },
    examples: [
      ['studio', 'the runs of this folder'],
      ['studio --demo', 'a dozen made-up runs: no key, no cost'],
    ],
    words: 'file',
  },
  runs: {
    theme: 'runs',
    usage: '',
    about: 'List runs, newest first',
    options: { limit: 'how many (default: 100)' },
    examples: [
      ['runs --limit 10', 'the ten newest'],
      ['runs --jsonl', 'one run a line, for a program'],
    ],
  },
  show: {
    theme: 'runs',
    usage: '<run>',
    about: 'Show the state and the entries of a run',
    examples: [['show <run>', 'every entry in one line']],
    words: 'run',
  },
  logs: {
    theme: 'runs',
    usage: '<run> [-f]',
    about: 'Print the entries of a run, with -f as they come',
    options: { follow: 'go on until the run ends; with --jsonl, not with --json' },
    examples: [['logs -f <run>', 'follow a run that another process drives']],
    words: 'run',
  },
  metrics: METRICS_HELP,
  inspect: {
    theme: 'runs',
    usage: '<file>',
    about: 'List what a program or script can reach',
    more: 'Nothing of it is run.',
    examples: [['inspect report.js', 'its tools, models and atoms']],
    words: 'file',
  },
  inbox: {
    theme: 'people',
    usage: '',
    about: 'List what waits for a person, longest first',
    options: { limit: 'how many (default: 100)' },
    examples: [['inbox', 'approvals, questions, and calls in doubt']],
  },
  approve: {
    theme: 'people',
    usage: '<approval>...',
    about: 'Approve calls that wait',
    more: 'An approval holds for exactly the call that was shown. The call is made when its run is resumed.',
    options: {
      scope: 'once, run (every call of the tool in this run) or rule (in all runs)',
      edit: 'the input that runs instead; it must fit the schema of the tool',
      until: 'when a scope of run or rule ends (default and most for rule: 30 days)',
      only: 'what the input must have for a scope of run or rule, such as {"to":"ana"}',
      reason: 'why, for the record',
      ...SIGNING,
    },
    examples: [
      ['approve <approval>', 'this call, once'],
      ['approve <approval> --edit \'{"amount":20}\'', 'with another input'],
      ['approve <approval> --scope rule --until 7d', 'what the same rules ask, for a week'],
    ],
    words: 'approval',
  },
  deny: {
    theme: 'people',
    usage: '<approval> [reason]',
    about: 'Deny a call that waits; it never runs',
    options: SIGNING,
    examples: [['deny <approval> "too much"', 'the model is told the reason']],
    words: 'approval',
  },
  answer: {
    theme: 'people',
    usage: '<approval> <value>',
    about: 'Answer a question, or say what became of a call',
    more: 'Of a call in doubt say `happened [json]`, `not-happened` or `unknown`.',
    options: SIGNING,
    examples: [
      ['answer <approval> blue', 'a question of an agent'],
      ['answer <approval> not-happened', 'a call that a crash interrupted'],
    ],
    words: 'approval',
  },
  approvals: {
    theme: 'people',
    usage: '',
    about: 'List the approvals that hold for all runs',
    options: { all: 'also those that have ended', ...SIGNING },
    examples: [['approvals --all', 'with those that have ended']],
  },
  revoke: {
    theme: 'people',
    usage: '<approval> [reason]',
    about: 'End an approval that holds for all runs',
    options: SIGNING,
    examples: [['revoke <approval> "he left"', 'from the next call on, in every process']],
    words: 'approval',
  },
  resume: {
    theme: 'control',
    usage: '<run>',
    about: 'Continue a run after a crash, a pause or an answer',
    more: 'Recorded calls are not made again.',
    options: { budget: 'limits instead of the recorded ones', file: FILE_OF_AGENTS, ...SIGNING },
    examples: [
      ['resume <run>', 'go on where it stopped'],
      ['resume <run> --budget money=5', 'with a higher limit'],
    ],
    words: 'run',
  },
  cancel: {
    theme: 'control',
    usage: '<run> [reason]',
    about: 'End a run, also one that another process drives',
    examples: [['cancel <run> "wrong customer"', 'with a reason for the record']],
    words: 'run',
  },
  fork: {
    theme: 'control',
    usage: '<run>',
    about: 'Run again from a point, with something changed',
    more: 'Makes a new run that shares the beginning of another, and runs it.',
    options: {
      at: 'the last entry to share',
      input: 'another input: a prompt in quotes, or { prompt, history, context }',
      key: 'the effect whose result is changed, such as turn:1/tool:1',
      value: 'with --key: what the effect gave instead, as JSON',
      budget: 'limits instead of the recorded ones',
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['fork <run> --at 12', 'share twelve entries, then go on anew'],
      ['fork <run> --input \'"Try again"\'', 'the same agent, another prompt'],
      ['fork <run> --key turn:1/tool:1 --value \'{"stock":0}\'', 'as if a tool had answered differently'],
    ],
    words: 'run',
  },
  replay: {
    theme: 'control',
    usage: '<run>',
    about: 'Execute a run again from its journal, without effects',
    options: { file: FILE_OF_AGENTS },
    examples: [['replay <run>', 'identical, or the first difference (exit code 7)']],
    words: 'run',
  },
  eval: EVAL_HELP,
  policy: {
    theme: 'trust',
    usage: '<test|explain> ...',
    about: 'Show what the gate would answer, and why it did',
    actions: [
      ['test <file> <tool>', 'what the gate would answer to a call; nothing is done'],
      ['explain <run> <seq>', 'how an effect was decided, by which rule, and who answered'],
    ],
    options: { input: 'test: the input of the call', labels: 'test: what the input is made from' },
    examples: [
      ['policy test agent.ts refund --input \'{"amount":80}\'', 'exit code 3 when it is denied'],
      ['policy test rules.json send --labels untrusted:web', 'a policy in a file, an untrusted input'],
      ['policy explain <run> 4', 'entry 4 of a run'],
    ],
  },
  verify: {
    theme: 'trust',
    usage: '<run|file>',
    about: 'Check the hash chain and signature of a run',
    options: {
      public: 'check the signed head with this key',
      heads: 'signed heads that were kept elsewhere, one a line',
      all: 'every run, as `audit` does',
    },
    examples: [
      ['verify <run>', 'the chain, and that nothing got around the gate'],
      ['verify run.jsonl --public key.pem', 'an exported file, without a store'],
    ],
    words: 'run',
  },
  audit: {
    theme: 'trust',
    usage: '',
    about: 'Verify every run and list incidents',
    options: { public: 'check signed heads with this key', heads: 'signed heads that were kept elsewhere' },
    examples: [['audit --json', 'for a program']],
  },
  prices: {
    theme: 'trust',
    usage: '<list|show|refresh> ...',
    about: 'Show what models cost',
    actions: [
      ['list [text]', 'prices in US dollars per million tokens, with their dates'],
      ['show <model>', 'one model'],
      ['refresh --from <file|url>', 'take newer prices and keep them beside the runs'],
    ],
    options: { from: 'refresh: data in the shape of https://models.dev/api.json' },
    examples: [['prices list claude', 'models with claude in their names']],
  },
  graph: {
    theme: 'trust',
    usage: '<check|fmt|diff|show|run|review> ...',
    about: 'Check, format, compare, show, run and review graphs',
    actions: [
      ['check <file>...', 'what is wrong with .rag files or .json blueprints'],
      ['fmt <file>...', 'write .rag files in their one layout'],
      ['diff <a> <b>', 'how two graphs differ (exit code 1 when they do)'],
      ['show <file|name>', 'a graph as text, as a diagram, or as its blueprint with --json'],
      ['run <file|name> [input]', 'run a graph; it asks on the terminal'],
      ['review request <file>', 'ask for a review of a generated graph'],
      ['review list', 'reviews that are open'],
      ['review show|approve|reject <review>', 'read a review, and decide'],
      ['review register <file> <token>', 'register a graph that was approved'],
      ['review revoke <review>', 'take a registered graph away'],
    ],
    options: {
      input: 'run: the input, as JSON',
      budget: BUDGET,
      check: 'fmt: change nothing, and fail where something would change',
      mermaid: 'show: as a Mermaid diagram',
      reason: 'review: why, for the record',
      all: 'review list: also those that have ended',
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['graph check flow.rag', 'errors with their lines (exit code 1)'],
      ['graph run flow.rag --input \'{"order":"A-17"}\'', 'run it'],
    ],
  },
  serve: {
    theme: 'serve',
    usage: '[file]',
    about: 'Serve agents over HTTP, with MCP at /mcp',
    more: 'On loopback it prints a token; elsewhere --tokens says who may call. Runs that an earlier process left in the middle go on.',
    options: {
      port: 'the port (default: 8787; 0: any free one)',
      host: 'the address (default: 127.0.0.1)',
      tokens: 'who may call, as [{ token | hash, identity, expiresAt }]; made where it does not exist',
      hosts: 'names under which it may be reached besides those of loopback',
      origins: 'origins of web pages that may call it',
      'read-only': READ_ONLY,
      ...SIGNING,
    },
    examples: [
      ['serve', 'mandate.config.ts on http://127.0.0.1:8787'],
      ['serve --host 0.0.0.0 --tokens tokens.json', 'for others'],
    ],
    words: 'file',
  },
  mcp: {
    theme: 'serve',
    usage: '[file]',
    about: 'Offer agents or a program as an MCP server',
    options: { port: 'serve HTTP on this port of loopback instead of stdio', ...SIGNING },
    examples: [
      ['mcp', 'the agents of mandate.config.ts, on stdio'],
      ['mcp report.js --file host.ts', 'a program and its host'],
    ],
    words: 'file',
  },
  schedule: {
    theme: 'serve',
    usage: '<put|list|remove|run> ...',
    about: 'Run an agent again and again',
    actions: [
      ['put <id> <agent> <prompt>', 'an agent of mandate.config.ts, with --cron or --every'],
      ['list', 'what is scheduled'],
      ['remove <id>', 'end a schedule'],
      ['run', 'carry schedules out until Ctrl-C'],
    ],
    options: {
      cron: 'put: minute, hour, day, month and weekday, or @daily',
      every: 'put: how often, such as 30s, 5m, 12h or 1d',
      zone: 'put: the time zone of --cron (default: UTC)',
      budget: BUDGET,
      file: FILE_OF_AGENTS,
      ...SIGNING,
    },
    examples: [
      ['schedule put news reporter "What is new?" --cron "0 9 * * 1-5" --zone Europe/Berlin', 'on weekdays at nine'],
      ['schedule run', 'carry them out'],
    ],
  },
  export: {
    theme: 'store',
    usage: '<run>',
    about: 'Print a run as lines of JSON',
    more: 'In plain text, also from an encrypted store, and the same bytes from every store.',
    options: { sign: 'end with the signed head' },
    examples: [['export <run> > run.jsonl', 'into a file']],
    words: 'run',
  },
  import: {
    theme: 'store',
    usage: '<file|->',
    about: 'Bring an exported run in, after verifying it',
    options: { public: 'insist on a signature by this key' },
    examples: [
      ['import run.jsonl', 'from a file'],
      ['import - < run.jsonl', 'from a pipe'],
    ],
    words: 'file',
  },
  key: {
    theme: 'store',
    usage: '[id]',
    about: 'Print a new key for an encrypted store',
    examples: [['key 2026 >> keys', 'a line for the file that MANDATE_KEY_FILE names']],
  },
  rekey: {
    theme: 'store',
    usage: '',
    about: 'Bring a store under the first key of the ring',
    examples: [['rekey', 'no entry is written again']],
  },
  doctor: {
    theme: 'store',
    usage: '',
    about: 'Check this machine, the store and the configuration',
    options: { servers: 'also start the servers of .mcp.json and ask for their tools' },
    examples: [['doctor --servers', 'with MCP servers']],
  },
  completion: {
    theme: 'help',
    usage: '<bash|zsh|fish>',
    about: 'Print the completion script of a shell',
    more: 'It completes commands, options, and the ids of runs and approvals.',
    actions: [
      ['bash', 'for ~/.bashrc'],
      ['zsh', 'for ~/.zshrc, behind compinit'],
      ['fish', 'for ~/.config/fish/completions/mandate.fish'],
    ],
    examples: [
      ['source <(mandate completion bash)', 'in this shell'],
      ['completion fish > ~/.config/fish/completions/mandate.fish', 'for good'],
    ],
  },
  help: {
    theme: 'help',
    usage: '[command]',
    about: 'Show what commands there are, or the help of one',
    examples: [['help run', 'the same as run --help']],
    words: 'command',
  },
}

/** Every command, in the order in which they are listed. */
export const COMMANDS: ReadonlyMap<string, CommandHelp> = new Map(Object.entries(TABLE))

/** How a command is called: its name and the words behind it, or those of each of its verbs. */
export function usageOf(name: string): string {
  const { usage, actions } = TABLE[name]!
  const words = actions === undefined ? [usage] : actions.map(([action]) => action)
  return words.map((text) => `${name} ${text}`.trimEnd()).join(' | ')
}

/** Every option that a command takes. */
export function optionsOf(name: string): readonly OptionName[] {
  return [...new Set([...(Object.keys(TABLE[name]?.options ?? {}) as OptionName[]), ...GENERAL])]
}
