import type { CommandHelp } from '../command-help.ts'
import { BUDGET, ENGINE, FILE_OF_AGENTS, READ_ONLY, SIGNING } from '../shared-texts.ts'

export const SERVE_COMMANDS: Readonly<Record<string, CommandHelp>> = {
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
      engine: ENGINE,
      ...SIGNING,
    },
    examples: [
      ['serve', 'mandate.config.ts on http://127.0.0.1:8787'],
      ['serve --host 0.0.0.0 --tokens tokens.json', 'for others'],
    ],
    words: 'file',
  },
  worker: {
    theme: 'serve',
    usage: '[file]',
    about: 'Drive runs of a postgres:// store, beside any number of others',
    more: 'Workers on any machines share the runs: one that is killed is taken over by the others, one that is told to end (SIGTERM) hands over what it has. Needs the packages pg and @dbos-inc/dbos-sdk.',
    options: {
      concurrency: 'how many runs at a time (default: 50)',
      queues: 'take runs of these queues alone (default: all that the configuration names, and default)',
      drain: 'after SIGTERM: how long calls in flight may still take before they are interrupted (default: 20)',
      deployment: 'what this version of your agents is called in the list of workers',
      ...SIGNING,
    },
    examples: [
      ['worker --dir postgres://me@db/agents', 'the agents of mandate.config.ts'],
      ['worker --dir postgres://me@db/agents --concurrency 100 --queues default,slow', 'more at a time, of two queues'],
    ],
    words: 'file',
  },
  workers: {
    theme: 'serve',
    usage: '',
    about: 'List workers, what waits for them, and what none can drive',
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
}
