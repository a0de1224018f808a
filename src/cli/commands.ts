import { createInterface } from 'node:readline/promises'
import { AgentService, resultJson, settingsFrom } from '../agent/index.ts'
import type { AgentResult, Settings } from '../agent/index.ts'
import { MandateError, parseJson } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { foldRun, readAll } from '../journal/index.ts'
import type { ApprovalHandler, ApprovalResponse } from '../run/index.ts'
import { openStore } from '../store/sqlite/index.ts'
import { EXIT, exitCodeOfResult } from './exit-codes.ts'
import { loadAgents } from './loading.ts'
import type { Loaded } from './loading.ts'
import { note, showProgress, showResult } from './progress.ts'

export interface Flags {
  readonly json: boolean
  readonly dir: string | undefined
  readonly file: string | undefined
  readonly noInput: boolean
}

type Command = (flags: Flags, ...words: string[]) => Promise<number>

/** Every command: its words, one sentence, and what it does. */
export const COMMANDS: { readonly [name: string]: { readonly usage: string; readonly about: string; readonly run: Command } } = {
  run: { usage: 'run <file> [prompt]', about: 'Runs the agent that a file exports.', run: runFile },
  resume: { usage: 'resume <run>', about: 'Continues a run after a crash or a suspension.', run: (flags, run) => withRun(flags, run, async (service) => finish(flags, await service.resume(run!))) },
  replay: { usage: 'replay <run>', about: 'Re-executes a run from its journal, performing nothing.', run: replayRun },
  verify: { usage: 'verify <run>', about: 'Checks the chain of a run, and that nothing was performed after a block.', run: verifyRun },
  approve: { usage: 'approve <approval>', about: 'Approves a call that waits.', run: (flags, id) => respond(flags, id, { answer: 'approve' }) },
  reject: { usage: 'reject <approval> [reason]', about: 'Rejects a call that waits; it will never run.', run: (flags, id, ...reason) => respond(flags, id, { answer: 'reject', text: reason.join(' ') || undefined }) },
  answer: { usage: 'answer <approval> <value>', about: 'Answers a question, or says of a call in doubt: happened, not-happened, unknown.', run: answer },
  runs: { usage: 'runs', about: 'Lists runs, newest first.', run: listRuns },
}

async function runFile(flags: Flags, file?: string, ...words: string[]): Promise<number> {
  if (file === undefined) throw new MandateError('INPUT_INVALID', 'Say which file to run: mandate run <file> [prompt]')
  const { loaded, source } = await loadAgents(file)
  return withService(flags, loaded, async (service) => {
    const agentId = (await service.health()).agents[0]
    if (agentId === undefined) throw new MandateError('CONFIG_INVALID', `${file} exports no agent.`)
    const run = service.start(agentId, words.length === 0 ? undefined : words.join(' '), { source, durability: settings().durability })
    const stop = interruptible(service, run.runId)
    try {
      return finish(flags, await run.result)
    } finally {
      stop()
    }
  })
}

/** The first Ctrl-C suspends the run where it can be resumed; the second ends the process at once. */
function interruptible(service: AgentService, runId: string): () => void {
  const onInterrupt = (): void => {
    note(`\nsuspending ${runId}; press Ctrl-C again to kill`)
    process.once('SIGINT', () => process.exit(EXIT.interrupted))
    void service.kernel.interrupt(runId)
  }
  process.once('SIGINT', onInterrupt)
  return () => process.off('SIGINT', onInterrupt)
}

function finish(flags: Flags, result: AgentResult): number {
  print(flags, resultJson(result), () => (typeof result.result === 'string' ? result.result : result.result === null ? result.text : JSON.stringify(result.result, null, 2)))
  showResult(result)
  return exitCodeOfResult(result)
}

async function replayRun(flags: Flags, run?: string): Promise<number> {
  return withRun(flags, run, async (service) => {
    const report = await service.replay(run!)
    print(flags, report as unknown as Json, () =>
      report.identical
        ? `identical: ${report.effects} effects, ${report.entries} entries${report.complete ? '' : ' (the run has not ended)'}`
        : `diverged at ${report.difference?.key}\n  recorded: ${report.difference?.recorded}\n  replayed: ${report.difference?.replayed}`,
    )
    return report.identical ? EXIT.ok : EXIT.diverged
  })
}

async function verifyRun(flags: Flags, run?: string): Promise<number> {
  return withService(flags, {}, async (service) => {
    const report = await service.verify(required(run, 'verify <run>'))
    print(flags, report as unknown as Json, () =>
      report.ok ? `ok: ${report.entries} entries, head ${report.head.seq} ${report.head.hash}` : report.problems.join('\n'),
    )
    return report.ok ? EXIT.ok : EXIT.store
  })
}

async function respond(flags: Flags, id: string | undefined, response: ApprovalResponse): Promise<number> {
  return withService(flags, {}, async (service) => {
    await service.kernel.respond(required(id, 'approve <approval>'), response)
    note(`recorded; continue with: mandate resume ${id!.replace(/-ap\d+$/, '')}`)
    return EXIT.ok
  })
}

async function answer(flags: Flags, id?: string, ...words: string[]): Promise<number> {
  const text = words.join(' ')
  const inDoubt = ['happened', 'not-happened', 'unknown'].find((what) => words[0] === what) as ApprovalResponse['answer'] | undefined
  const rest = words.slice(1).join(' ')
  if (inDoubt !== undefined) return respond(flags, id, { answer: inDoubt, ...(rest === '' ? {} : { value: parseJson(rest, 'The value') }) })
  return respond(flags, id, { answer: 'answer', value: text })
}

async function listRuns(flags: Flags): Promise<number> {
  return withService(flags, {}, async (service) => {
    const runs = await service.runs({ limit: 100 })
    print(flags, runs as unknown as Json, () =>
      runs.map(({ run, state, suspendReason, name, updatedAt }) => `${run}  ${(suspendReason === undefined ? state : `${state} (${suspendReason})`).padEnd(22)} ${name}  ${new Date(updatedAt).toISOString()}`).join('\n'),
    )
    return EXIT.ok
  })
}

function required(value: string | undefined, usage: string): string {
  if (value === undefined) throw new MandateError('INPUT_INVALID', `Something is missing: mandate ${usage}`)
  return value
}

function print(flags: Flags, json: Json, text: () => string): void {
  const out = flags.json ? JSON.stringify(json) : text()
  if (out !== '') process.stdout.write(`${out}\n`)
}

let cached: Settings | undefined

function settings(): Settings {
  return (cached ??= settingsFrom(process.env))
}

async function withService(flags: Flags, loaded: Loaded, work: (service: AgentService) => Promise<number>): Promise<number> {
  const { dir, profile, limits } = settings()
  const { journal } = await openStore({ dir: flags.dir ?? dir })
  const mandate = profile === undefined ? loaded.mandate : { ...loaded.mandate, profile }
  const service = new AgentService({
    ...loaded,
    limits: { ...limits, ...loaded.limits },
    ...(mandate === undefined ? {} : { mandate }),
    store: { journal, close: () => journal.close() },
    ...(flags.noInput || !process.stdin.isTTY ? {} : { onApproval: askTerminal }),
  })
  service.events.on('*', showProgress())
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** Loads what the run was started from, so that a run id is all one has to type. */
async function withRun(flags: Flags, run: string | undefined, work: (service: AgentService) => Promise<number>): Promise<number> {
  const id = required(run, 'resume <run>')
  const { journal } = await openStore({ dir: flags.dir ?? settings().dir })
  const entries = await readAll(journal, id).finally(() => journal.close())
  if (entries.length === 0) throw new MandateError('NOT_FOUND', `There is no run "${id}" here. List the runs with: mandate runs`)
  const file = flags.file ?? foldRun(entries).start?.source
  if (file === undefined) throw new MandateError('INPUT_INVALID', `The journal does not say which file "${id}" was started from. Add --file <file>.`)
  const { loaded } = await loadAgents(file)
  return withService(flags, loaded, work)
}

const askTerminal: ApprovalHandler = async (request) => {
  if (request.reason !== 'approval') return undefined
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const text = await terminal.question(`    ${request.name} ${JSON.stringify(request.input)}\n    Approve? [y/N/later] `)
  terminal.close()
  if (/^y/i.test(text.trim())) return { answer: 'approve', hash: request.hash }
  return /^l/i.test(text.trim()) ? undefined : { answer: 'reject', text: 'rejected at the terminal' }
}
