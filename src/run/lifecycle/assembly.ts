import { rememberingRedactor } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import { Budget, Oversight } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { JournalWriter } from '../../journal/index.ts'
import type { Lease, Prelude, RunFold, RunStartData } from '../../journal/index.ts'
import { ActiveRun } from './active-run.ts'
import { limitsOver } from '../inbox/budget-change.ts'
import { onJournalFailure } from './end-run.ts'
import { gateFor } from '../kernel/gates.ts'
import { announce } from '../kernel/announce.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import type { Above } from '../nested/above.ts'
import { performAside } from '../nested/nested-effects.ts'
import type { PriorInterruptions } from './prior-interruptions.ts'
import type { Vault } from '../vault/vault.ts'

/** The mandates of a run, nearest first: the mind's own, then its parents', then the host's. */
export function mandatesFor(
  host: KernelHost,
  mind: Mind,
  parent: Pick<Above, 'mandates'> | undefined,
): readonly Mandate[] {
  const above = parent?.mandates ?? (host.mandate === undefined ? [] : [host.mandate])
  return mind.mandate === undefined ? above : [mind.mandate, ...above]
}

/** The parts of a run that refer to each other. */
interface Builder {
  writer(fold: RunFold, start: RunStartData, prelude?: readonly Prelude[]): JournalWriter
  run(fold: RunFold, writer: JournalWriter | undefined, prior: PriorInterruptions): ActiveRun
}

/** The lease of a run in this process, and the run's parent. */
interface Seat {
  readonly lease: Lease
  /** The time since the lease was requested. */
  readonly heldSince: () => number
  readonly mind: Mind
  readonly parent: ActiveRun | undefined
  /** The mandates and budget above a child whose parent is not in this process. */
  readonly above?: Above | undefined
  readonly vault: Vault | undefined
}

export function builder(host: KernelHost, { lease, heldSince, mind, parent, above, vault }: Seat): Builder {
  let run: ActiveRun | undefined
  let redactor: Redactor | undefined
  return {
    writer(fold, { durability, sessionId }, prelude) {
      redactor = redactorFor({ host, vault, parent }, sessionId)
      return new JournalWriter({
        answerMs: host.limits.leaseMs,
        prelude,
        journal: host.journal,
        lease,
        heldSince,
        clock: host.clock,
        random: host.random,
        redactor,
        held: durability === 'exit',
        gatherMs: durability === 'batch' ? BATCH_MS : 0,
        onEntry(entry) {
          fold.apply(entry)
          run?.oversight?.apply(entry)
          host.onEntry?.(entry)
          announce(host, fold.start, entry)
        },
        onFailure: (error) => (run === undefined ? undefined : onJournalFailure(run, error)),
      })
    },
    run(fold, writer, prior) {
      run = assemble(lease.run, { host, mind, parent, above, vault, redactor, fold, writer, lease, prior })
      return run
    },
  }
}

const BATCH_MS = 2

/** Tokens are the same in all runs of a session, including children, and differ between sessions. */
function redactorFor(
  { host, vault, parent }: Pick<Assembly, 'host' | 'vault' | 'parent'>,
  sessionId: string,
): Redactor {
  return vault?.redactor ?? rememberingRedactor(host.redactor, sessionId, parent?.redactor)
}

interface Assembly {
  readonly host: KernelHost
  readonly mind: Mind
  readonly parent?: ActiveRun | undefined
  readonly above?: Above | undefined
  readonly vault?: Vault | undefined
  /** The writer's redactor, if one was created already. */
  readonly redactor?: Redactor | undefined
  readonly fold: RunFold
  readonly writer: JournalWriter | undefined
  readonly prior: PriorInterruptions
  readonly lease?: Lease | undefined
}

/** Creates an `ActiveRun` from its start entry, for execution or for a replay. */
export function assemble(id: string, assembly: Assembly): ActiveRun {
  const { host, mind, parent, above = parent, vault, fold, writer, prior, lease } = assembly
  const start = fold.start!
  const mandates = mandatesFor(host, mind, above)
  // A child that draws on its parent's budget continues with the budget object it had, because what it took from the parent stays taken.
  const drawsOn = start.allotted === true ? undefined : parent
  const earlier = drawsOn?.children.get(id)
  const self: { run?: ActiveRun } = {}
  const elapsedMs = (): number => (drawsOn?.children.get(id) ?? self.run)?.activeMs() ?? 0
  // A replay uses the recorded limits; a run that continues is also bound by the host's current mandates.
  const limits = writer === undefined ? fold.budget : limitsOver(host, mind, parent, fold)
  const budget = earlier?.budget ?? new Budget(limits, { parent: drawsOn?.budget, elapsedMs, depth: start.depth })
  const run = new ActiveRun(id, {
    host,
    mind,
    fold,
    writer,
    lease,
    budget,
    redactor: assembly.redactor ?? redactorFor(assembly, start.sessionId),
    vault,
    gate: gateFor(mandates),
    ...(mandates.some(({ overseer }) => overseer !== undefined) ? { oversight: new Oversight(), performAside } : {}),
    mandates,
    limits: host.limits,
    resources: mind.resources ?? {},
    prior,
    parent,
    rootId: above?.rootId ?? id,
    earlier,
  })
  drawsOn?.children.set(id, run)
  self.run = run
  return run
}
