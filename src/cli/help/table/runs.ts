import type { CommandHelp } from '../command-help.ts'

export const RUNS_COMMANDS: Readonly<Record<string, CommandHelp>> = {
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
  diff: {
    theme: 'runs',
    usage: '<run> [run]',
    about: 'Compare two runs side by side',
    more: 'A fork alone is compared with the run it comes from. Times and ids do not count. The exit code is 1 when the runs differ.',
    examples: [
      ['diff <run> <run>', 'two tries of the same'],
      ['diff <fork>', 'a fork and what it comes from'],
    ],
    words: 'run',
  },
  inspect: {
    theme: 'runs',
    usage: '<file>',
    about: 'List what a program or script can reach',
    more: 'Nothing of it is run.',
    examples: [['inspect report.js', 'its tools, models and atoms']],
    words: 'file',
  },
}
