import type { CommandHelp } from '../command-help.ts'
import { BUDGET, ENGINE, FILE_OF_AGENTS, READ_ONLY, SIGNING } from '../shared-texts.ts'

export const SERVE_COMMANDS: Readonly<Record<string, CommandHelp>> = {
  serve: {
    theme: 'serve',
    usage: '[file]',
    about: 'Serve agents over HTTP, with MCP at /mcp',
    more: 'On loopback it prints a token; elsewhere --tokens lists who may call. Runs that an earlier process left unfinished are continued.',
    options: {
      port: 'the port (default: 8787; 0: any free one)',
      host: 'the address (default: 127.0.0.1)',
      tokens: 'who may call, as [{ token | hash, identity, expiresAt }]; created if it does not exist',
      hosts: 'host names that are accepted besides those of loopback',
      origins: 'origins of web pages that may call it',
      'read-only': READ_ONLY,
      engine: ENGINE,
      ...SIGNING,
    },
    examples: [
      ['serve', 'mandate.config.ts on http://127.0.0.1:8787'],
      ['serve --host 0.0.0.0 --tokens tokens.json', 'for other machines'],
    ],
    words: 'file',
  },
  worker: {
    theme: 'serve',
    usage: '[file]',
    about: 'Drive runs of a postgres:// store, beside other workers',
    more: 'Workers on any number of machines share the runs. If a worker is killed, others take over its runs; on SIGTERM it hands them over. Needs the packages pg and @dbos-inc/dbos-sdk, or @restatedev/restate-sdk and a Restate server, whose address is in `export const restate = { ingress, admin }`.',
    options: {
      engine: 'dbos or restate (default: restate if the configuration exports `restate`)',
      concurrency: 'how many runs at the same time (default: 50)',
      queues: 'take runs of these queues only (default: all that the configuration names, and default)',
      drain: 'after SIGTERM: seconds until calls in flight are interrupted (default: 20)',
      deployment: 'the name of this version of your agents in the list of workers',
      port: 'Restate: the port on which it reaches this worker (default: 9080)',
      host: 'Restate: the address on which it reaches this worker (default: 127.0.0.1)',
      ...SIGNING,
    },
    examples: [
      ['worker --dir postgres://me@db/agents', 'the agents of mandate.config.ts'],
      [
        'worker --dir postgres://me@db/agents --concurrency 100 --queues default,slow',
        'more at a time, from two queues',
      ],
    ],
    words: 'file',
  },
  workers: {
    theme: 'serve',
    usage: '',
    about: 'List workers, and the runs that wait for them',
    examples: [['workers --dir postgres://me@db/agents', 'members, load, versions and lag']],
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
    about: 'Run an agent on a schedule',
    actions: [
      ['put <id> <agent> <prompt>', 'an agent of mandate.config.ts, with --cron or --every'],
      ['list', 'list the schedules'],
      ['remove <id>', 'end a schedule'],
      ['run', 'run due schedules until Ctrl-C'],
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
      ['schedule run', 'run them when they are due'],
    ],
  },
}
