import { MandateError, canonical, checkId, frozenCopy, newId, seededRandom, stopwatch } from '../../core/index.ts'
import type { FieldNames, Json, Label } from '../../core/index.ts'
import { lowestLimits } from '../../gate/index.ts'
import { RunFold, isServiceJournal } from '../../journal/index.ts'
import type { Durability, Identity, Lease, MindKind, RunStartData } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { builder, mandatesFor } from './assembly.ts'
import type { RunOutcome } from './run-outcome.ts'
import { hostOfRun } from '../kernel/host.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import { PROTOCOL, pinsFor } from './pins.ts'
import { recall } from './prior-interruptions.ts'
import { newVaultKey, vaultFor } from '../vault/open-vault.ts'
import { adopt } from './resume-run.ts'
import { checkDriftModels } from '../nested/drift-check.ts'
import { durabilityError, startError } from './start-errors.ts'
import { keepFiles } from '../files/large-files.ts'

export interface RunSpec {
  readonly kind: MindKind
  readonly name: string
  readonly input: Json
  /** What the input was made from, where that is not clean. */
  readonly labels?: readonly Label[] | undefined
  /** Made by the caller, a repeated start gives the same run. */
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly identity?: Identity | undefined
  readonly budget?: RunStartData['budget'] | undefined
  readonly durability?: Durability | undefined
  readonly seed?: string | undefined
  /** Where the mind was loaded from, to load it again on resume. */
  readonly source?: string | undefined
  /** The run has a budget of its own instead of drawing on its parent's. */
  readonly allotted?: boolean | undefined
}

/** A run inside a run, which the kernel alone starts. */
export interface ChildSpec extends RunSpec {
  readonly parent?: { readonly run: ActiveRun; readonly key: string; readonly at?: number | undefined } | undefined
}

export const RUN_SPEC: FieldNames<RunSpec> = {
  kind: true,
  name: true,
  input: true,
  labels: true,
  runId: true,
  sessionId: true,
  identity: true,
  budget: true,
  durability: true,
  seed: true,
  source: true,
  allotted: true,
}

/** A run ready to be driven, or what it gave if it is over. */
export type Opened = { readonly run: ActiveRun } | { readonly outcome: RunOutcome }

/** Makes a new run and writes its first entry; one that exists already is brought back instead. */
export async function createRun(host: KernelHost, id: string, spec: ChildSpec): Promise<Opened> {
  const mind = host.registry.requireMind(spec.kind, spec.name)
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
  if (!DURABILITIES.includes(start.durability)) throw durabilityError(start.durability, DURABILITIES)
  if (parent === undefined && mandates.some(({ overseer }) => overseer?.drift !== undefined))
    checkDriftModels(host.registry, mind, mandates)
  const tenure = await acquire(host, id)
  const { lease } = tenure
  if (lease.head.seq > 0) return adopt(host, tenure, parent)
  start = await withInputFiles(host, id, start)
  const vault = await vaultFor(host, id, start, { parent })
  const sealed = await vault?.seal(start.input)
  const build = builder(hostOfRun(host, id, spec.parent?.at), { ...tenure, mind, parent, vault })
  const fold = new RunFold()
  const writer = build.writer(fold, start)
  writer.add('run-start', undefined, start)
  // In one append, so that no crash leaves an input whose sealed values are lost.
  if (sealed !== undefined) vault!.adopt(sealed, writer)
  return { run: build.run(fold, writer, NOTHING_RECALLED) }
}

/** The start of a run whose input has large files: they are kept beside the entries. A session goes on with those of its earlier runs, a child with its parent's. */
async function withInputFiles(host: KernelHost, id: string, start: RunStartData): Promise<RunStartData> {
  const { journal, limits } = host
  const sources = async (): Promise<readonly string[]> => {
    const session = start.sessionId === id ? [] : await journal.list({ sessionId: start.sessionId })
    return [...(start.parent === undefined ? [] : [start.parent.run]), ...session.map(({ run }) => run)]
  }
  const { value, blobs } = await keepFiles({ journal, run: id, maxBytes: limits.fileBytes, sources }, start.input)
  return blobs.length === 0 ? start : { ...start, input: frozenCopy(value), blobs }
}

const DURABILITIES: readonly string[] = ['sync', 'batch', 'exit']
const NOTHING_RECALLED = recall([])

/** Everything that could be wrong with a run is found before anything of it is written. */
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
    budget: lowestLimits(
      spec.budget,
      mind.mandate?.budget,
      mind.limits?.(spec.input),
      parent === undefined ? host.mandate?.budget : undefined,
    ),
    source: spec.source,
    allotted: spec.allotted === true || undefined,
    parent: spec.parent && { run: spec.parent.run.id, key: spec.parent.key },
    pins,
  }
  canonical(start)
  // A defensive copy: the caller may mutate the input while the journal is awaited.
  return { ...start, input: frozenCopy(start.input) }
}

/** Brings a run back from its journal. */
export async function loadRun(host: KernelHost, id: string, parent?: ActiveRun): Promise<Opened> {
  const tenure = await acquire(host, id)
  return adopt(host, tenure, parent)
}

/** A lease, and how long ago it was asked for: reading a long journal may take a good part of it. */
export interface Tenure {
  readonly lease: Lease
  readonly heldSince: () => number
}

async function acquire({ journal, owner, limits, clock }: KernelHost, run: string): Promise<Tenure> {
  const heldSince = stopwatch()
  const lease = await journal.acquire({ run, owner, ttlMs: limits.leaseMs, now: clock.now() })
  return { lease, heldSince }
}

/** Returns the run id if a run may have it. */
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

/** Randomness that depends on the seed alone, for runs that must come out the same every time. */
export function deterministicRandom(seed: string): KernelHost['random'] {
  return seededRandom(`kernel/${seed}`)
}
