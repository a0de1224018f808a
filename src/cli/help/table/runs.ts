import type { CommandHelp } from '../command-help.ts'

export const RUNS_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  runs: {
    theme: 'runs',
    usage: '',
    about: 'List runs, newest first',
    more: 'A run is listed when everything holds that the options say.',
    options: {
      status: 'running, suspended, completed, failed or cancelled; several with commas',
      agent: 'runs of this agent, graph or program',
      since: 'runs that began since a date, or in the last 7d, 12h or 30m',
      until: 'runs that began before a date, or longer ago than that',
      text: 'what the input, the output, the error, the name or the id has',
      session: 'runs of one session',
      parent: 'runs below this run; none: without those that are below another',
      limit: 'how many (default: 100)',
      after: 'go on behind this run, the last one of the page before',
    },
    examples: [
      ['runs --status failed --since 7d', 'what failed in the last week'],
      ['runs --agent support --text "order A-17"', 'runs of an agent about an order'],
      ['runs --parent none --limit 10', 'the ten newest that no other run started'],
      ['runs --jsonl', 'one run a line, for a program'],
    ],
  },
  show: {
    theme: 'runs',
    usage: '<run>',
    about: 'Show a run as a conversation',
    more: 'Its input, what the model said, calls and what they gave, decisions, what waits with the command that answers it, totals, the answer. --json gives its summary and entries.',
    examples: [
      ['show <run>', 'the run as a conversation'],
      ['show run_1m7r8xe8 --json', 'by the beginning of its id; everything that is stored, for a program'],
    ],
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
