import type { Command } from './command.ts'

/** Loads the code of each command on demand, so that help and completion start without it. */
const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).initCommand,
  run: async () => (await import('./runs.ts')).runCommand,
  chat: async () => (await import('./terminals.ts')).chatCommand,
  repl: async () => (await import('./terminals.ts')).replCommand,
  studio: async () => (await import('./studio.ts')).studioCommand,
  inspect: async () => (await import('./programs.ts')).inspectCommand,
  runs: async () => (await import('./run-list.ts')).runsCommand,
  show: async () => (await import('./show.ts')).showCommand,
  logs: async () => (await import('./inspect.ts')).logsCommand,
  inbox: async () => (await import('./answers.ts')).inboxCommand,
  approve: async () => (await import('./answers.ts')).approveCommand,
  deny: async () => (await import('./answers.ts')).denyCommand,
  answer: async () => (await import('./answers.ts')).answerCommand,
  cancel: async () => (await import('./answers.ts')).cancelCommand,
  steer: async () => (await import('./answers.ts')).steerCommand,
  approvals: async () => (await import('./standing.ts')).approvalsCommand,
  revoke: async () => (await import('./standing.ts')).revokeCommand,
  resume: async () => (await import('./runs.ts')).resumeCommand,
  fork: async () => (await import('./runs.ts')).forkCommand,
  replay: async () => (await import('./runs.ts')).replayCommand,
  verify: async () => (await import('./store/audit.ts')).verifyCommand,
  audit: async () => (await import('./store/audit.ts')).auditCommand,
  eval: async () => (await import('./evals/eval.ts')).evalCommand,
  metrics: async () => (await import('./evals/metrics.ts')).metricsCommand,
  policy: async () => (await import('./policy.ts')).policyCommand,
  prices: async () => (await import('./prices.ts')).pricesCommand,
  graph: async () => (await import('./graph/graph.ts')).graphCommand,
  schedule: async () => (await import('./schedule.ts')).scheduleCommand,
  serve: async () => (await import('./server/serve.ts')).serveCommand,
  worker: async () => (await import('./server/workers.ts')).workerCommand,
  workers: async () => (await import('./server/workers.ts')).workersCommand,
  mcp: async () => (await import('./server/mcp.ts')).mcpCommand,
  export: async () => (await import('./store/transfer.ts')).exportCommand,
  import: async () => (await import('./store/transfer.ts')).importCommand,
  key: async () => (await import('./store/keys.ts')).keyCommand,
  rekey: async () => (await import('./store/keys.ts')).rekeyCommand,
  diff: async () => (await import('./diff.ts')).diffCommand,
  retention: async () => (await import('./store/retention.ts')).retentionCommand,
  completion: async () => (await import('./completion.ts')).completionCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
}

/** Loads a command by name. Every name in the table of help texts has one, except `help`. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]!() : undefined
}
