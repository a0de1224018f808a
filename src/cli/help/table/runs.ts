import type { CommandHelp } from '../command-help.ts'

export const RUNS_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  runs: {
    theme: 'runs',
    usage: '',
    about: 'List runs, newest first',
    more: 'A run is listed if it matches all the options.',
    options: {
      status: 'running, suspended, completed, failed or cancelled; several with commas',
      agent: 'runs of this agent, graph or program',
      since: 'runs that began since a date, or in the last 7d, 12h or 30m',
      until: 'runs that began before a date, or longer ago than that',
      text: 'text in the input, the output, the error, the name or the id',
      session: 'runs of one session',
      parent: 'child runs of this run; none: only runs without a parent',
      limit: 'how many (default: 100)',
      after: 'the last run of the previous page',
    },
    examples: [
      ['runs --status failed --since 7d', 'what failed in the last week'],
      ['runs --agent support --text "order A-17"', 'runs of an agent about an order'],
      ['runs --parent none --limit 10', 'the ten newest that were not started by another run'],
      ['runs --jsonl', 'one run per line, for a program'],
    ],
  },
  show: {
    theme: 'runs',
    usage: '<run>',
    about: 'Show a run as a conversation',
    more: 'Its input, the text of the model, calls with their results, decisions, pending requests with the command that answers each, totals, and the answer. --json prints its summary and entries.',
    examples: [
      ['show <run>', 'the run as a conversation'],
      ['show run_1m7r8xe8 --json', 'by the beginning of its id; everything that is stored, for a program'],
      ['show last', 'the newest run; the end of an id works too'],
    ],
    words: 'run',
  },
  logs: {
    theme: 'runs',
    usage: '<run> [-f]',
    about: 'Print the entries of a run; with -f, follow it',
    options: { follow: 'print new entries until the run ends; with --jsonl, not with --json' },
    examples: [['logs -f <run>', 'follow a run that another process drives']],
    words: 'run',
  },
  diff: {
    theme: 'runs',
    usage: '<run> [run]',
    about: 'Compare two runs side by side',
    more: 'A fork given alone is compared with its original. Times and ids are ignored. The exit code is 1 if the runs differ.',
    examples: [
      ['diff <run> <run>', 'two runs of the same agent'],
      ['diff <fork>', 'a fork and its original'],
    ],
    words: 'run',
  },
  inspect: {
    theme: 'runs',
    usage: '<file>',
    about: 'List what a program or script can reach',
    more: 'It is not run.',
    examples: [['inspect report.js', 'its tools, models and atoms']],
    words: 'file',
  },
}
