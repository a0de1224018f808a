import type { RunLimits } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { Budget, Effect, Gate, Mandate, Oversight } from '../../gate/index.ts'
import type { JournalWriter, Lease, RunFold } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import type { PriorInterruptions } from './prior-interruptions.ts'
import type { Resources } from '../kernel/resources.ts'
import type { Vault } from '../vault/vault.ts'

/** The parts of which an `ActiveRun` is made. */
export interface ActiveRunParts {
  readonly host: KernelHost
  readonly mind: Mind
  readonly fold: RunFold
  readonly writer: JournalWriter | undefined
  readonly budget: Budget
  readonly gate: Gate
  /** The mandates of this run and its children: its own, its parents', the host's. */
  readonly mandates: readonly Mandate[]
  readonly limits: RunLimits
  readonly redactor: Redactor
  readonly vault?: Vault | undefined
  readonly resources: Resources
  readonly prior: PriorInterruptions
  readonly lease?: Lease | undefined
  readonly parent?: ActiveRun | undefined
  /** The root of the run's tree, in any process. */
  readonly rootId: string
  /** The object of the same run before it was suspended in this process: spend that it has counted in the budget is not counted again. */
  readonly earlier?: ActiveRun | undefined
  /** The counters of the overseer, where a mandate has one. */
  readonly oversight?: Oversight | undefined
  /** Performs an effect of the kernel itself. */
  readonly performAside?: ((run: ActiveRun, key: string, effect: Effect) => Promise<void>) | undefined
}
