import { inScope } from '../../redact/index.ts'
import type { Redactor } from '../../redact/index.ts'
import { Budget, Oversight } from '../../gate/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { JournalWriter } from '../../journal/index.ts'
import type { Lease, Prelude, RunFold, RunStartData } from '../../journal/index.ts'
import { ActiveRun } from './active-run.ts'
import { limitsOver } from '../inbox/budget-change.ts'
import { loseJournal } from './end-run.ts'
import { gateFor } from '../kernel/gates.ts'
import { announce } from '../kernel/announce.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import { performAside } from '../nested/nested-effects.ts'
import type { Recalled } from './prior-interruptions.ts'
import type { Vault } from '../vault/vault.ts'

/** Nearest first: the mind's own, then its parents', then the host's. */
export function mandatesFor(host: KernelHost, mind: Mind, parent: ActiveRun | undefined): readonly Mandate[] {
  const above = parent?.mandates ?? (host.mandate === undefined ? [] : [host.mandate])
  return mind.mandate === undefined ? above : [mind.mandate, ...above]
}

/** Makes the parts of one run that must know of each other. */
interface Builder {
  writer(fold: RunFold, start: RunStartData, prelude?: readonly Prelude[]): JournalWriter
  run(fold: RunFold, writer: JournalWriter | undefined, recalled: Recalled): ActiveRun
}

/** Who writes a run, and for whom. */
interface Seat {
  readonly lease: Lease
  /** Time since the lease was asked for. */
  readonly heldSince: () => number
  readonly mind: Mind
  readonly parent: ActiveRun | undefined
  readonly vault: Vault | undefined
}

export function builder(host: KernelHost, { lease, heldSince, mind, parent, vault }: Seat): Builder {
  let run: ActiveRun | undefined
  let redactor: Redactor | undefined
  return {
    writer(fold, { durability, sessionId }, prelude) {
      redactor = redactorFor(host, vault, sessionId)
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
        onFailure: (error) => (run === undefined ? undefined : loseJournal(run, error)),
      })
    },
    run(fold, writer, recalled) {
      run = assemble(lease.run, { host, mind, parent, vault, redactor, fold, writer, lease, recalled })
      return run
    },
  }
}

const BATCH_MS = 2

/** Tokens mean the same in all runs of a session, children included, and nothing outside it. */
function redactorFor(host: KernelHost, vault: Vault | undefined, sessionId: string): Redactor {
  return vault?.redactor ?? inScope(host.redactor, sessionId)
}

interface Assembly {
  readonly host: KernelHost
  readonly mind: Mind
  readonly parent?: ActiveRun | undefined
  readonly vault?: Vault | undefined
  /** The redactor of the writer, if one was created already. */
  readonly redactor?: Redactor | undefined
  readonly fold: RunFold
  readonly writer: JournalWriter | undefined
  readonly recalled: Recalled
  readonly lease?: Lease | undefined
}

/** Puts the parts of a run together, live or for a replay. */
export function assemble(id: string, assembly: Assembly): ActiveRun {
  const { host, mind, parent, vault, fold, writer, recalled, lease } = assembly
  const start = fold.start!
  const mandates = mandatesFor(host, mind, parent)
  // A child that counts in its parent's budget goes on with the budget it had: what it took from there it has taken.
  const drawsOn = start.allotted === true ? undefined : parent
  const earlier = drawsOn?.children.get(id)
  const self: { run?: ActiveRun } = {}
  const elapsedMs = (): number => (drawsOn?.children.get(id) ?? self.run)?.activeMs() ?? 0
  // A replay shows what was; a run that goes on is held to what the host's mandates say today as well.
  const limits = writer === undefined ? fold.budget : limitsOver(host, mind, parent, fold)
  const budget = earlier?.budget ?? new Budget(limits, { parent: drawsOn?.budget, elapsedMs, depth: start.depth })
  const run = new ActiveRun(id, {
    host,
    mind,
    fold,
    writer,
    lease,
    budget,
    redactor: assembly.redactor ?? redactorFor(host, vault, start.sessionId),
    vault,
    gate: vault?.gateFor(mandates) ?? gateFor(mandates),
    ...(mandates.some(({ overseer }) => overseer !== undefined) ? { oversight: new Oversight(), performAside } : {}),
    mandates,
    limits: host.limits,
    resources: mind.resources ?? {},
    recalled,
    parent,
    earlier,
  })
  drawsOn?.children.set(id, run)
  self.run = run
  return run
}
