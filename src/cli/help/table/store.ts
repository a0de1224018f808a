import type { CommandHelp } from '../command-help.ts'

export const STORE_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  export: {
    theme: 'store',
    usage: '<run>',
    about: 'Print a run as lines of JSON',
    more: 'Plain text, even from an encrypted store, and the same bytes from every store.',
    options: { sign: 'end with a signed head' },
    examples: [['export <run> > run.jsonl', 'into a file']],
    words: 'run',
  },
  import: {
    theme: 'store',
    usage: '<file|->',
    about: 'Verify an exported run and add it to the store',
    options: { public: 'require a signature by this key' },
    examples: [
      ['import run.jsonl', 'from a file'],
      ['import - < run.jsonl', 'from a pipe'],
    ],
    words: 'file',
  },
  retention: {
    theme: 'store',
    usage: '',
    about: 'Erase the contents of old sessions and runs',
    more: 'Lists what would be erased, and asks; --yes erases at once. A session is erased as a whole: as long as it is used, it keeps its first runs. Hashes stay, so every chain can still be verified. Runs that have not ended are not touched.',
    options: {
      'older-than': 'erase what was last used longer ago, such as 30d, 12h or 30m',
      keep: 'erase all but this number of the newest runs, and their sessions',
      'max-bytes': 'erase the oldest sessions until the rest fits',
      yes: 'erase without asking',
    },
    examples: [
      ['retention --older-than 30d', 'list them, and ask'],
      ['retention --older-than 30d --keep 1000 --yes', 'erase what exceeds either limit, at once'],
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
    about: 'Move an encrypted store to the first key of the ring',
    examples: [['rekey', 'no entry is rewritten']],
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
      ['zsh', 'for ~/.zshrc, after compinit'],
      ['fish', 'for ~/.config/fish/completions/mandate.fish'],
    ],
    examples: [
      ['source <(mandate completion bash)', 'in this shell'],
      ['completion fish > ~/.config/fish/completions/mandate.fish', 'permanently'],
    ],
  },
  help: {
    theme: 'help',
    usage: '[command]',
    about: 'List the commands, or show the help of one',
    examples: [['help run', 'the same as run --help']],
    words: 'command',
  },
}
