import { MandateError, canonical, checkId, frozenCopy, newId, seededRandom, stopwatch } from '../../core/index.ts'
import type { FieldNames, Json, Label } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import { RunFold, isServiceJournal, readStart } from '../../journal/index.ts'
import type { Durability, Identity, Lease, MindKind, RunPriority, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { builder, mandatesFor } from './assembly.ts'
import type { RunOutcome } from './run-outcome.ts'
import { hostOfRun } from '../kernel/host.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import { PROTOCOL, pinsFor } from './pins.ts'
import { priorInterruptions } from './prior-interruptions.ts'
import { newVaultKey, vaultFor } from '../vault/open-vault.ts'
import { resumeRun } from './resume-run.ts'
import { checkSameRun } from '../kernel/same-run.ts'
import { checkDriftModels } from '../nested/drift-check.ts'
import { durabilityError, startError } from './start-errors.ts'
import { keepFiles } from '../files/large-files.ts'

export interface RunSpec {
  readonly kind: MindKind
  readonly name: string
  readonly input: Json
  /** The labels of the input, if it has any. */
  readonly labels?: readonly Label[] | undefined
  /** The id of the run. With an id of the caller, a repeated start returns the same run. */
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly identity?: Identity | undefined
  readonly budget?: RunStartData['budget'] | undefined
  readonly durability?: Durability | undefined
  /** Among workers that share runs: which waiting runs are taken first; `normal` by default. */
  readonly priority?: RunPriority | undefined
  readonly seed?: string | undefined
  /** Where the mind was loaded from, so that it can be loaded again on resume. */
  readonly source?: string | undefined
  /** The run has its own budget instead of drawing on its parent's. */
  readonly allotted?: boolean | undefined
}

/** A child run, which only the kernel starts. */
export interface ChildSpec extends RunSpec {
  readonly parent?: { readonly run: ActiveRun; readonly key: string; readonly at?: number | undefined } | undefined
  /** The child is driven apart from its parent, possibly in another process. */
  readonly apart?: true | undefined
  /** A run that exists under this id must have the same mind and input. */
  readonly mustMatch?: true | undefined
}

export const RUN_SPEC: FieldNames<RunSpec> = {
  kind: 'text',
  name: 'text',
  input: true,
  labels: 'texts',
  runId: true,
  sessionId: true,
  identity: 'object',
  budget: 'object',
  durability: 'text',
  priority: 'text',
  seed: 'text',
  source: 'text',
  allotted: 'flag',
}

/** A run that is ready to be driven, or the outcome of one that is over. */
export type Opened = { readonly run: ActiveRun } | { readonly outcome: RunOutcome }

/** Creates a run and writes its first entry; a run that exists already is resumed instead. */
export async function createRun(host: KernelHost, id: string, spec: ChildSpec): Promise<Opened> {
  const mind = host.registry.requireMind(spec.kind, spec.name, spec.sessionId ?? id)
  const parent = spec.parent?.run
  const vaultKey = host.vault === undefined ? undefined : await newVaultKey(host)
  const mandates = mandatesFor(host, mind, parent)
  let start: RunStartData
  try {
    const pins = pinsFor({ mandates, mind, own: mind.pins?.() ?? null, vault: vaultKey })
    start = startData(host, id, { spec, mind, pins })
  } catch (error) {
    throw startError(error)
  }
  if (start.priority !== undefined && !PRIORITIES.includes(start.priority))
    throw new MandateError(
      'INPUT_INVALID',
      `\`priority\` is ${JSON.stringify(start.priority)}. Use one of: ${PRIORITIES.join(', ')}.`,
    )
  if (!DURABILITIES.includes(start.durability)) throw durabilityError(start.durability, DURABILITIES)
  if (parent === undefined && mandates.some(({ overseer }) => overseer?.drift !== undefined))
    checkDriftModels(host.registry, mind, mandates)
  const tenure = await acquire(host, id)
  const { lease } = tenure
  if (lease.head.seq > 0) return reopenRun(host, tenure, spec)
  start = await withInputFiles(host, id, start)
  const vault = await vaultFor(host, id, start, { parent })
  const sealed = await vault?.seal(start.input)
  const build = builder(hostOfRun(host, id, spec.parent?.at), { ...tenure, mind, parent, vault })
  const fold = new RunFold()
  const writer = build.writer(fold, start)
  writer.add('run-start', undefined, start)
  // In one append, so that a crash cannot leave an input without its sealed values.
  if (sealed !== undefined) vault!.adopt(sealed, writer)
  return { run: build.run(fold, writer, NO_INTERRUPTIONS) }
}

/** Resumes a run that was started before. */
async function reopenRun(host: KernelHost, tenure: Tenure, spec: ChildSpec): Promise<Opened> {
  const { lease } = tenure
  if (spec.mustMatch === true) {
    try {
      checkSameRun(host, lease.run, spec, await readStart(host.journal, lease.run))
    } catch (error) {
      await host.journal.release(lease)
      throw error
    }
  }
  return resumeRun(host, tenure, spec.parent?.run)
}

/**
 * The start of a run with the large files of its input moved beside the entries. A session may refer to files of its earlier runs, a child to those
 * of its parent.
 */
async function withInputFiles(host: KernelHost, id: string, start: RunStartData): Promise<RunStartData> {
  const { journal, limits } = host
  const sources = async (): Promise<readonly string[]> => {
    const session = start.sessionId === id ? [] : await journal.list({ sessionId: start.sessionId })
    return [...(start.parent === undefined ? [] : [start.parent.run]), ...session.map(({ run }) => run)]
  }
  const { value, blobs } = await keepFiles({ journal, run: id, maxBytes: limits.fileBytes, sources }, start.input)
  return blobs.length === 0 ? start : { ...start, input: frozenCopy(value), blobs }
}

const PRIORITIES: readonly string[] = ['high', 'normal', 'low']
const DURABILITIES: readonly string[] = ['sync', 'batch', 'exit']
const NO_INTERRUPTIONS = priorInterruptions([])

/** Validates a new run completely before anything of it is written. */
function startData(
  host: KernelHost,
  id: string,
  { spec, mind, pins }: { spec: ChildSpec; mind: Mind; pins: Json },
): RunStartData {
  const parent = spec.parent?.run
  const start: RunStartData = {
    protocol: PROTOCOL,
    mind: spec.kind,
    name: spec.name,
    sessionId: spec.sessionId ?? id,
    input: spec.input,
    labels: spec.labels?.length === 0 ? undefined : spec.labels,
    identity: spec.identity ?? host.identity,
    seed: spec.seed ?? host.random.hex(8),
    depth: parent === undefined ? 0 : parent.start.depth + 1,
    durability: spec.durability ?? 'sync',
    // The default is not written.
    priority: spec.priority === 'normal' ? undefined : spec.priority,
    budget: lowestLimits(
      spec.budget,
      mind.mandate?.budget,
      mind.limits?.(spec.input),
      parent === undefined ? host.mandate?.budget : undefined,
    ),
    source: spec.source,
    allotted: spec.allotted === true || undefined,
    apart: spec.apart,
    parent: spec.parent && { run: spec.parent.run.id, key: spec.parent.key },
    pins,
  }
  canonical(start)
  // A defensive copy: the caller may mutate the input while the journal is awaited.
  return { ...start, input: frozenCopy(start.input) }
}

/** Loads a run from its journal. */
export async function loadRun(host: KernelHost, id: string, parent?: ActiveRun): Promise<Opened> {
  const tenure = await acquire(host, id)
  return resumeRun(host, tenure, parent)
}

/** A lease, and the time since it was requested: reading a long journal may use up much of it. */
export interface Tenure {
  readonly lease: Lease
  readonly heldSince: () => number
}

async function acquire({ journal, owner, limits, clock }: KernelHost, run: string): Promise<Tenure> {
  const heldSince = stopwatch()
  const lease = await journal.acquire({ run, owner, ttlMs: limits.leaseMs, now: clock.now() })
  return { lease, heldSince }
}

/** Returns the id if it is valid for a run, or throws. */
export function checkRunId(id: string): string {
  if (!isServiceJournal(id)) return checkId(id, 'The run id')
  throw new MandateError(
    'ID_INVALID',
    `The run id "${id}" is that of a journal of the service itself. Use another one.`,
  )
}

/** A fresh run id. */
export function newRunId(host: KernelHost): string {
  return newId('run', host.clock, host.random)
}

/** A random source that depends on the seed alone, for runs that must be reproducible. */
export function deterministicRandom(seed: string): KernelHost['random'] {
  return seededRandom(`kernel/${seed}`)
}
