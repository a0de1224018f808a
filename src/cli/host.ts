import { existsSync } from 'node:fs'
import { AgentService, settingsFrom, withSettings } from '../agent/index.ts'
import type { Settings } from '../agent/index.ts'
import { installedModels } from '../connect/index.ts'
import { MandateError } from '../core/index.ts'
import { isErased } from '../journal/index.ts'
import type { Journal, MindKind, RunStartData } from '../journal/index.ts'
import type { Engine, KernelOptions } from '../run/index.ts'
import type { Blueprint } from '../graph/index.ts'
import type { Flags } from './flags.ts'
import { publicKeyFrom, signerFrom } from './keys.ts'
import { closeLoaded, findConfig, loadService, setUp } from './load-module.ts'
import type { Loaded } from './load-module.ts'
import { note, printLine } from './output.ts'
import { loadHost } from './program-files.ts'
import { showProgress } from './progress.ts'
import { pricesHere } from './price-file.ts'
import { openJournal } from './store.ts'
import { sessionFiles } from '../store/sqlite/index.ts'
import { typedRun } from './typed-ids.ts'
import { askTerminal } from './terminal/terminal-prompt.ts'
import type { OpenOptions, OpenedJournal } from './store.ts'

/** What the environment sets. */
export function settings(): Settings {
  return settingsFrom(process.env)
}

/** Opens the store alone, for commands that only look at runs or talk to them. */
export async function withJournal<T>(
  flags: Flags,
  work: (journal: OpenedJournal) => Promise<T>,
  options: OpenOptions = {},
): Promise<T> {
  const journal = await openJournal(flags.dir, { existing: true, ...options })
  try {
    return await work(journal)
  } finally {
    await journal.close()
  }
}

/** The keys that a command signs answers with, and those whose signatures it believes. */
export function keysOf({ sign, public: file }: Flags): Pick<KernelOptions, 'signer' | 'trustedKeys'> {
  return {
    ...(sign === undefined ? {} : { signer: signerFrom(sign) }),
    ...(file === undefined ? {} : { trustedKeys: publicKeyFrom(file) }),
  }
}

/** A whole host, for commands that drive runs. */
export async function withService(
  flags: Flags,
  loaded: Loaded,
  work: Work,
  shown: Shown & Engines = {},
): Promise<number> {
  const journal = await openJournal(flags.dir, { existing: shown.onlyReads, shared: shown.shared })
  try {
    const engine = await shown.engine?.(journal)
    return await serve({ flags, loaded, journal, shown, engine }, work)
  } catch (error) {
    // A service that was made has closed it already.
    await journal.close()
    throw error
  }
}

type Work = (service: AgentService, journal: OpenedJournal) => Promise<number>

/** A run that was typed: its id in full, and what kind of mind it runs. */
export interface Meant {
  readonly run: string
  readonly kind: MindKind
}

/** Who drives the runs, where it is not this process. */
interface Engines {
  readonly engine?: ((journal: OpenedJournal) => Promise<Engine | undefined>) | undefined
  /** Other machines drive them: the store has to be one that machines share. */
  readonly shared?: boolean | undefined
}

/** What of the progress of runs is shown. */
interface Shown {
  /** That an agent begins a turn; true when absent. */
  readonly turns?: boolean | undefined
  /** What the model of an agent says, as it says it, on a terminal; false when absent. */
  readonly texts?: boolean | undefined
  /** The command only looks: a store that is not there is not made. */
  readonly onlyReads?: boolean | undefined
  /** Nothing of it: the command tells what happens itself. */
  readonly quiet?: boolean | undefined
}

interface Serving {
  readonly flags: Flags
  readonly loaded: Loaded
  readonly journal: OpenedJournal
  readonly shown?: Shown | undefined
  readonly engine?: Engine | undefined
}

async function serve({ flags, loaded, journal, shown = {}, engine }: Serving, work: Work): Promise<number> {
  const isAsking = !flags.noInput && process.stdin.isTTY
  const isStreaming = shown.texts === true && process.stdout.isTTY && !flags.json
  const service = new AgentService({
    ...withSettings(withSessionFiles(flags, loaded, journal), process.env),
    prices: loaded.prices ?? pricesHere(flags),
    modelSources: loaded.modelSources ?? installedModels(),
    store: { journal, close: () => journal.close() },
    ...keysOf(flags),
    ...(engine === undefined ? {} : { engine }),
    ...(isAsking ? { onApproval: askTerminal(async (run) => (await journal.summary(run))?.name) } : {}),
  })
  if (shown.quiet !== true)
    service.events.on('*', flags.jsonl ? printLine : showProgress(isAsking, shown.turns !== false, isStreaming))
  try {
    await setUp(service, loaded)
    return await work(service, journal)
  } finally {
    await service.stop()
    await closeLoaded(loaded)
  }
}

/** With `MANDATE_SESSION_FILES`, what happens is also kept as files per session, where runs are kept in a folder. */
function withSessionFiles({ dir: given }: Flags, loaded: Loaded, journal: OpenedJournal): Loaded {
  const { sessionFiles: isWanted, includePayloads, dir } = settings()
  const folder = given ?? dir
  if (!isWanted || folder.includes('://')) return loaded
  return { ...loaded, sinks: [...(loaded.sinks ?? []), sessionFiles({ dir: folder, journal, includePayloads })] }
}

/** Loads what a run was started from, so that a run id is all one has to type. */
export async function withRun(
  flags: Flags,
  typed: string,
  work: (service: AgentService, meant: Meant) => Promise<number>,
  shown: Shown = {},
): Promise<number> {
  // Opened once for all: a store that is opened starts a thread.
  const journal = await openJournal(flags.dir, { existing: true })
  let run: string
  let loaded: Loaded
  let start: RunStartData
  try {
    run = await typedRun(journal, typed)
    start = await startOf(journal, run)
    loaded = await loadedFor(flags, journal, run, start)
  } catch (error) {
    await journal.close()
    throw error
  }
  const texts = shown.texts ?? start.mind === 'agent'
  return serve({ flags, loaded, journal, shown: { ...shown, texts } }, async (service) => {
    const program = pinnedProgram(start)
    if (program !== undefined) {
      const { registerProgram } = await import('../vm/index.ts')
      await registerProgram(service, program, { name: start.name })
    }
    if (start.name === 'mandate-eval') (await import('../evals/index.ts')).registerEvalMind(service)
    if (isOfGraphs(start)) await bringGraphs(service, start, await trustedSource(journal, run, start))
    return work(service, { run, kind: start.mind })
  })
}

async function startOf(journal: OpenedJournal, run: string): Promise<RunStartData> {
  for await (const entry of journal.read(run)) {
    if (entry.type === 'run-start' && !isErased(entry)) return entry.data
    throw new MandateError('JOURNAL_ERASED', `The content of run "${run}" was erased; only its hash chain is left.`)
  }
  throw new MandateError('NOT_FOUND', `There is no run "${run}" here. List the runs with: mandate runs`)
}

async function loadedFor(flags: Flags, journal: OpenedJournal, run: string, start: RunStartData): Promise<Loaded> {
  const needsNoFile = pinnedProgram(start) !== undefined || isOfGraphs(start) || start.name === 'mandate-eval'
  if (needsNoFile) return loadHost(flags.file)
  const source = await trustedSource(journal, run, start)
  const file = flags.file ?? source ?? findConfig()
  if (file !== undefined) return (await loadService(file)).loaded
  throw new MandateError(
    'INPUT_INVALID',
    source === start.source
      ? `The journal does not say which file "${run}" was started from. Add --file <file>.`
      : `Run "${run}" was imported: the file that it names is not loaded. Add --file <file>.`,
  )
}

/** Whether a run is one of a graph, or of a review of one: it needs no file besides the configuration. */
function isOfGraphs({ mind, name }: RunStartData): boolean {
  return mind === 'graph' || name === 'mandate-graph-review'
}

/** Registers the graphs that a run needs: those of the store, those of its file, and the one that its journal holds. */
async function bringGraphs(service: AgentService, { mind, pins }: RunStartData, source?: string): Promise<void> {
  const { addGraphs, addPinned } = await import('./graph-files.ts')
  const { graphReviews } = await import('../graph/index.ts')
  for (const problem of (await graphReviews(service).restore()).problems) note(problem)
  if (mind !== 'graph') return
  if (source !== undefined && existsSync(source)) addGraphs(service, source)
  addPinned(service, (pins as unknown as { readonly mind: { readonly blueprint: Blueprint } }).mind.blueprint)
}

/** The file that a run was started from. What is loaded is executed, so one that only an export names is not. */
export async function trustedSource(
  journal: Journal,
  run: string,
  { source }: Pick<RunStartData, 'source'>,
): Promise<string | undefined> {
  return (await journal.summary(run))?.imported?.from === 1 ? undefined : source
}

/** A run of a program holds the program itself, and goes on with that one whatever has become of the file. */
function pinnedProgram({ mind, pins }: RunStartData): object | undefined {
  return mind === 'program'
    ? (pins as { readonly mind?: { readonly program?: object } } | null)?.mind?.program
    : undefined
}
