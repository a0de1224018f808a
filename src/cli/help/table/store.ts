import type { CommandHelp } from '../command-help.ts'

export const STORE_COMMANDS: Readonly<Record<string, CommandHelp>> = {
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
  retention: {
    theme: 'store',
    usage: '',
    about: 'Erase what old runs said',
    more: 'Shows what would go, and asks; --yes erases without a question. Rows and hashes stay, so that every chain can be verified; runs that have not ended stay whole.',
    options: {
      'older-than': 'erase runs that ended longer ago, such as 30d, 12h or 30m',
      keep: 'erase all but so many of the newest runs',
      'max-bytes': 'erase the oldest until the others take no more',
      yes: 'erase without a question',
    },
    examples: [
      ['retention --older-than 30d', 'what would go'],
      ['retention --older-than 30d --keep 1000 --yes', 'what is over either of the limits, at once'],
    ],
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
