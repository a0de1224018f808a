import { answerCommand, approveCommand, cancelCommand, denyCommand, inboxCommand } from './answers.ts'
import { approvalsCommand, revokeCommand } from './standing.ts'
import { auditCommand, verifyCommand } from './audit.ts'
import type { Command } from './command.ts'
import { doctorCommand } from './doctor.ts'
import { graphCommand } from './graph.ts'
import { forkCommand, replayCommand, resumeCommand, runCommand } from './runs.ts'
import { keyCommand, rekeyCommand } from './keys.ts'
import { logsCommand, runsCommand, showCommand } from './inspect.ts'
import { policyCommand } from './policy.ts'
import { pricesCommand } from './prices.ts'
import { inspectCommand } from './programs.ts'
import { chatCommand, replCommand } from './terminals.ts'
import { scheduleCommand } from './schedule.ts'
import { mcpCommand } from './server/mcp.ts'
import { serveCommand } from './server/serve.ts'
import { studioCommand } from './studio.ts'
import { exportCommand, importCommand } from './transfer.ts'

/** Every command, in the order in which they are told. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  Object.entries({
    run: runCommand,
    chat: chatCommand,
    inspect: inspectCommand,
    runs: runsCommand,
    show: showCommand,
    logs: logsCommand,
    inbox: inboxCommand,
    approve: approveCommand,
    deny: denyCommand,
    approvals: approvalsCommand,
    revoke: revokeCommand,
    answer: answerCommand,
    resume: resumeCommand,
    cancel: cancelCommand,
    fork: forkCommand,
    replay: replayCommand,
    verify: verifyCommand,
    audit: auditCommand,
    policy: policyCommand,
    prices: pricesCommand,
    graph: graphCommand,
    repl: replCommand,
    schedule: scheduleCommand,
    studio: studioCommand,
    serve: serveCommand,
    mcp: mcpCommand,
    export: exportCommand,
    import: importCommand,
    key: keyCommand,
    rekey: rekeyCommand,
    doctor: doctorCommand,
  }),
)
