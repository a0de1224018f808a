import type { CommandHelp } from '../command-help.ts'

const METRICS_HELP: CommandHelp = {
  theme: 'runs',
  usage: '[agent]',
  about: 'Show totals of runs: success, steps, tool errors, cost',
  more: 'A run is counted together with its child runs.',
  options: {
    since: 'runs that began since a date, or in the last 7d, 12h or 30m',
    session: 'runs of one session',
    limit: 'how many of the newest runs (default: 1000)',
  },
  examples: [
    ['metrics', 'all runs of the store'],
    ['metrics writer --since 7d --json', 'an agent in the last week, for a program'],
  ],
}

const EVAL_HELP: CommandHelp = {
  theme: 'trust',
  usage: '<file>|from-run|list|show ...',
  about: 'Measure how often an agent succeeds at tasks',
  more: 'A file (.json, .jsonl or a module) holds tasks with checks. The exit code is 1 on a regression against the baseline; without a baseline, when a check fails. Every attempt is a run, and the report is stored.',
  actions: [
    ['<file>', 'run the tasks of a file and check the results'],
    ['from-run <run>', 'make an eval, with its recordings, from a run'],
    ['list', 'list the stored reports'],
    ['show <id>', 'show one of them'],
  ],
  options: {
    baseline: 'what to compare with (default: <name>.baseline.json beside the file)',
    'update-baseline': 'store the figures of this eval as the baseline',
    repeat: 'attempts per task',
    concurrency: 'attempts at the same time',
    tag: 'only tasks with one of these tags',
    cassette: 'record, replay or live (default: MANDATE_CASSETTE)',
    bench: 'compare the variants of the eval side by side',
    out: 'from-run: where the eval is written (default: evals)',
    limit: 'list: how many (default: 20)',
    file: 'the file with the agents, instead of what the eval names',
  },
  examples: [
    ['eval refunds.eval.json --repeat 10', 'ten attempts at each task'],
    ['eval refunds.eval.json --update-baseline', 'what later ones are compared with'],
    ['eval from-run <run>', 'a regression test from a run that went well'],
  ],
  words: 'file',
}

export const EVAL_COMMANDS: Readonly<Record<string, CommandHelp>> = { metrics: METRICS_HELP, eval: EVAL_HELP }
