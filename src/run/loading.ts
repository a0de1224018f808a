import { MandateError, canonical, frozenCopy, messageOf, newId, seededRandom, sha256 } from '../core/index.ts'
import type { Json, Label } from '../core/index.ts'
import { lowestLimits, mandateHash, readGuards } from '../gate/index.ts'
import type { Mandate } from '../gate/index.ts'
import { RunFold } from '../journal/index.ts'
import type { Durability, Identity, MindKind, RunStartData } from '../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import { builder, mandatesFor } from './assembly.ts'
import type { RunOutcome } from './run-outcome.ts'
import type { KernelHost } from './host.ts'
import { runLater } from './later.ts'
import type { Mind } from './mind.ts'
import { recall } from './recall.ts'
import { newVaultKey, vaultFor } from './vault.ts'

/** The rules by which minds and kernel speak. A journal written under other rules is not resumed. */
export const PROTOCOL = 1

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
  /** Where the mind was loaded from, for whoever wants to load it again. */
  readonly source?: string | undefined
  readonly parent?: { readonly run: ActiveRun; readonly key: string } | undefined
  /** The child has a budget of its own instead of drawing on its parent's. */
  readonly allotted?: boolean | undefined
}

/** A run ready to be driven, or what it gave if it is over. */
export type Opened = { readonly run: ActiveRun } | { readonly outcome: RunOutcome }

/** Makes a new run and writes its first entry; one that exists already is brought back instead. */
export async function createRun(host: KernelHost, id: string, spec: RunSpec): Promise<Opened> {
  const mind = host.registry.requireMind(spec.kind, spec.name)
  const parent = spec.parent?.run
  const vaultKey = host.vault === undefined ? undefined : await newVaultKey(host.vault)
  const mandates = mandatesFor(host, mind, parent)
  const given: RunStartData = {
    protocol: PROTOCOL,
    mind: spec.kind,
    name: spec.name,
    sessionId: spec.sessionId ?? parent?.start.sessionId ?? id,
    input: spec.input,
    ...(spec.labels === undefined || spec.labels.length === 0 ? {} : { labels: spec.labels }),
    identity: spec.identity ?? parent?.start.identity ?? host.identity,
    seed: spec.seed ?? seedOf(host, spec),
    depth: parent === undefined ? 0 : parent.start.depth + 1,
    durability: spec.durability ?? parent?.start.durability ?? 'sync',
    budget: lowestLimits(spec.budget, mind.mandate?.budget, parent === undefined ? host.mandate?.budget : undefined),
    ...(spec.source === undefined ? {} : { source: spec.source }),
    ...(spec.allotted === true ? { allotted: true } : {}),
    ...(spec.parent === undefined ? {} : { parent: { run: spec.parent.run.id, key: spec.parent.key } }),
    pins: pinsOf(mandates, mind, vaultKey),
  }
  const text = checkStart(given)
  // Whoever gave the input may change it while the journal is waited for; what is written is what was checked.
  const start = { ...given, input: frozenCopy(given.input) }
  await readGuards(mandates)
  if (parent === undefined && mandates.some(({ overseer }) => overseer?.drift !== undefined))
    await runLater(({ checkDriftModels }) => checkDriftModels(host.registry, mind, mandates))
  const lease = await host.journal.acquire({
    run: id,
    owner: host.owner,
    ttlMs: host.limits.leaseMs,
    now: host.clock.now(),
  })
  if (lease.head.seq > 0) return runLater(({ adopt }) => adopt(host, lease, parent))
  await host.redactor.ready?.(start as unknown as Json)
  const vault = await vaultFor(host, id, start, { parent })
  const sealed = await vault?.seal(start.input)
  const build = builder(host, { lease, mind, parent, vault })
  const fold = new RunFold()
  const writer = build.writer(fold, start)
  writer.addRunStart(start, text)
  // In the same breath, so that no crash leaves an input whose values nobody has.
  if (sealed !== undefined) vault!.adopt(sealed, writer)
  return { run: build.run(fold, writer, recall([])) }
}

/**
 * Whether intents are asked for is pinned: the prompt of a run that is under way must not change with a mandate. `labels` says how labels are
 * followed: `coarse` gives all that a mind asks for the labels of all it was told, unless the mind knows better, as it does when they are `fine`.
 */
function pinsOf(mandates: readonly Mandate[], mind: Mind, vault: string | undefined): Json {
  const pins = {
    mandate: mandateHash(mandates[0]),
    mind: mind.pins?.() ?? null,
    labels: labelMode(mandates, mind),
  }
  const isIntentRequired = mandates.some(({ intentRequired }) => intentRequired === true)
  return {
    ...pins,
    ...(isIntentRequired ? { intent: 'hidden' } : {}),
    ...(vault === undefined ? {} : { vault }),
  }
}

/** `fine`: the mind knows the labels of every value, and says them with each effect. */
function labelMode(mandates: readonly Mandate[], { followsLabels = 'never' }: Mind): 'fine' | 'coarse' {
  const hasRules = mandates.some(({ flow }) => flow !== undefined && flow.length > 0)
  return followsLabels === 'always' || (followsLabels === 'rules' && hasRules) ? 'fine' : 'coarse'
}

/** A child's chance follows from its parent's, so that one seed fixes the whole tree, also for a child that had to be started anew after a crash. */
function seedOf(host: KernelHost, { parent }: RunSpec): string {
  return parent === undefined ? host.random.hex(8) : sha256(`${parent.run.start.seed}/${parent.key}`).slice(0, 16)
}

const DURABILITIES: readonly string[] = ['sync', 'batch', 'exit']

/** Everything that could be wrong with a run is found before anything of it is written. Gives its text. */
function checkStart(start: RunStartData): string {
  if (!DURABILITIES.includes(start.durability)) {
    throw new MandateError(
      'CONFIG_INVALID',
      `\`durability\` is ${JSON.stringify(start.durability)}. Use one of: ${DURABILITIES.join(', ')}.`,
    )
  }
  try {
    return canonical(start)
  } catch (cause) {
    throw new MandateError(
      'INPUT_INVALID',
      `The input of a run, and what its mind pins, must be plain data: ${messageOf(cause)}`,
      { cause },
    )
  }
}

/** Brings a run back from its journal. */
export async function loadRun(host: KernelHost, id: string, parent?: ActiveRun): Promise<Opened> {
  const lease = await host.journal.acquire({
    run: id,
    owner: host.owner,
    ttlMs: host.limits.leaseMs,
    now: host.clock.now(),
  })
  return runLater(({ adopt }) => adopt(host, lease, parent))
}

/** A fresh run id. */
export function newRunId(host: KernelHost): string {
  return newId('run', host.clock, host.random)
}

/** Randomness that depends on the seed alone, for runs that must come out the same every time. */
export function deterministicRandom(seed: string): KernelHost['random'] {
  return seededRandom(`kernel/${seed}`)
}
