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

/** Returns the settings from the environment. */
export function settings(): Settings {
  return settingsFrom(process.env)
}

/** Opens only the store, for commands that read runs or send signals to them. */
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

/** Returns the key that a command signs answers with, and the public keys that it trusts. */
export function keysOf({ sign, public: file }: Flags): Pick<KernelOptions, 'signer' | 'trustedKeys'> {
  return {
    ...(sign === undefined ? {} : { signer: signerFrom(sign) }),
    ...(file === undefined ? {} : { trustedKeys: publicKeyFrom(file) }),
  }
}

/** Creates a complete service, for commands that drive runs. */
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
    // If the service was created, it has already closed the journal.
    await journal.close()
    throw error
  }
}

type Work = (service: AgentService, journal: OpenedJournal) => Promise<number>

/** The run that a typed id refers to, and the kind of its mind. */
export interface Meant {
  readonly run: string
  readonly kind: MindKind
}

/** The engine that drives the runs if it is not this process. */
interface Engines {
  readonly engine?: ((journal: OpenedJournal) => Promise<Engine | undefined>) | undefined
  /** Whether other machines drive the runs, so that the store must be one that machines can share. */
  readonly shared?: boolean | undefined
}

/** Which progress of runs is shown. */
interface Shown {
  /** Whether the start of each turn of an agent is shown; true by default. */
  readonly turns?: boolean | undefined
  /** Whether the streamed text of an agent's model is shown on a terminal; false by default. */
  readonly texts?: boolean | undefined
  /** Whether the command only reads, so that a missing store is not created. */
  readonly onlyReads?: boolean | undefined
  /** Whether no progress is shown, because the command reports it itself. */
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

/** Adds a sink that also writes events to files per session, if `MANDATE_SESSION_FILES` is set and runs are stored in a folder. */
function withSessionFiles({ dir: given }: Flags, loaded: Loaded, journal: OpenedJournal): Loaded {
  const { sessionFiles: isWanted, includePayloads, dir } = settings()
  const folder = given ?? dir
  if (!isWanted || folder.includes('://')) return loaded
  return { ...loaded, sinks: [...(loaded.sinks ?? []), sessionFiles({ dir: folder, journal, includePayloads })] }
}

/** Loads the file that a run was started from, so that the run id is the only required argument. */
export async function withRun(
  flags: Flags,
  typed: string,
  work: (service: AgentService, meant: Meant) => Promise<number>,
  shown: Shown = {},
): Promise<number> {
  // The journal is opened only once, because opening a store starts a thread.
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

/** Whether a run belongs to a graph or to the review of a graph: such a run needs no file besides the configuration. */
function isOfGraphs({ mind, name }: RunStartData): boolean {
  return mind === 'graph' || name === 'mandate-graph-review'
}

/** Registers the graphs that a run needs: those of the store, those of its file, and the one stored in its journal. */
async function bringGraphs(service: AgentService, { mind, pins }: RunStartData, source?: string): Promise<void> {
  const { addGraphs, addPinned } = await import('./graph-files.ts')
  const { graphReviews } = await import('../graph/index.ts')
  for (const problem of (await graphReviews(service).restore()).problems) note(problem)
  if (mind !== 'graph') return
  if (source !== undefined && existsSync(source)) addGraphs(service, source)
  addPinned(service, (pins as unknown as { readonly mind: { readonly blueprint: Blueprint } }).mind.blueprint)
}

/** Returns the file that a run was started from. Loading executes the file, so a path that comes from an imported journal is not trusted. */
export async function trustedSource(
  journal: Journal,
  run: string,
  { source }: Pick<RunStartData, 'source'>,
): Promise<string | undefined> {
  return (await journal.summary(run))?.imported?.from === 1 ? undefined : source
}

/** Returns the program stored in the journal of a program run. The run continues with that program even if its file has changed. */
function pinnedProgram({ mind, pins }: RunStartData): object | undefined {
  return mind === 'program'
    ? (pins as { readonly mind?: { readonly program?: object } } | null)?.mind?.program
    : undefined
}
