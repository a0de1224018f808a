import { createInterface } from 'node:readline/promises'
import { AgentService, settingsFrom } from '../agent/index.ts'
import type { Settings } from '../agent/index.ts'
import { installedModels } from '../connect/index.ts'
import { MandateError } from '../core/index.ts'
import type { Json } from '../core/index.ts'
import { foldRun, readAll } from '../journal/index.ts'
import type { MindKind } from '../journal/index.ts'
import type { ApprovalHandler } from '../run/index.ts'
import type { Flags } from './flags.ts'
import { publicKeyFrom, signerFrom } from './keys.ts'
import { findConfig, loadService } from './loading.ts'
import type { Loaded } from './loading.ts'
import { printLine } from './output.ts'
import { loadHost } from './program-files.ts'
import { showProgress } from './progress.ts'
import { openJournal } from './store.ts'
import type { OpenOptions, OpenedJournal } from './store.ts'

let cached: Settings | undefined

/** What the environment sets, read once. */
export function settings(): Settings {
  return (cached ??= settingsFrom(process.env))
}

/** Opens the store alone, for commands that only look at runs or talk to them. */
export async function withJournal<T>(
  flags: Flags,
  work: (journal: OpenedJournal) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const journal = await openJournal(flags.dir, options)
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

/** A whole host, for commands that drive runs. */
export async function withService(
  flags: Flags,
  loaded: Loaded,
  work: (service: AgentService) => Promise<number>,
): Promise<number> {
  const { profile, limits } = settings()
  const journal = await openJournal(flags.dir)
  const mandate = profile === undefined ? loaded.mandate : { ...loaded.mandate, profile }
  const service = new AgentService({
    ...loaded,
    limits: { ...limits, ...loaded.limits },
    ...(mandate === undefined ? {} : { mandate }),
    modelSources: loaded.modelSources ?? installedModels(),
    store: { journal, close: () => journal.close() },
    ...(flags.sign === undefined ? {} : { signer: signerFrom(flags.sign) }),
    ...(flags.public === undefined ? {} : { trustedKeys: publicKeyFrom(flags.public) }),
    ...(flags.noInput || !process.stdin.isTTY ? {} : { onApproval: askTerminal }),
  })
  service.events.on('*', flags.jsonl ? printLine : showProgress())
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** Loads what a run was started from, so that a run id is all one has to type. */
export async function withRun(
  flags: Flags,
  run: string,
  work: (service: AgentService, kind: MindKind) => Promise<number>,
): Promise<number> {
  const entries = await withJournal(flags, (journal) => readAll(journal, run))
  if (entries.length === 0)
    throw new MandateError('NOT_FOUND', `There is no run "${run}" here. List the runs with: mandate runs`)
  const start = foldRun(entries).start
  const program = start?.mind === 'program' ? pinnedProgram(start.pins) : undefined
  if (program !== undefined) {
    return withService(flags, await loadHost(flags.file), async (service) => {
      const { registerProgram } = await import('../vm/index.ts')
      await registerProgram(service, program, { name: start!.name })
      return work(service, 'program')
    })
  }
  const file = flags.file ?? start?.source ?? findConfig()
  if (file === undefined)
    throw new MandateError(
      'INPUT_INVALID',
      `The journal does not say which file "${run}" was started from. Add --file <file>.`,
    )
  return withService(flags, (await loadService(file)).loaded, (service) => work(service, start?.mind ?? 'agent'))
}

/** A run of a program holds the program itself, and goes on with that one whatever has become of the file. */
function pinnedProgram(pins: Json): object | undefined {
  return (pins as { readonly mind?: { readonly program?: object } } | null)?.mind?.program
}

const askTerminal: ApprovalHandler = async (request) => {
  if (request.reason !== 'approval') return undefined
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // A terminal that is being read takes Ctrl-C for itself: it is handed on, so that it suspends the run as anywhere else.
  terminal.on('SIGINT', () => {
    terminal.close()
    process.emit('SIGINT')
  })
  const text = (
    await terminal.question(`    ${request.name} ${JSON.stringify(request.input)}\n    Approve? [y/N/later] `)
  ).trim()
  terminal.close()
  if (/^y/i.test(text)) return { answer: 'approve', hash: request.hash }
  return /^l/i.test(text) ? undefined : { answer: 'reject', text: 'rejected at the terminal' }
}
