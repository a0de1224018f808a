import type { RunLimits } from '../../core/index.ts'
import type { Redactor } from '../../redact/index.ts'
import type { Budget, Effect, Gate, Mandate, Oversight } from '../../gate/index.ts'
import type { JournalWriter, Lease, RunFold } from '../../journal/index.ts'
import type { ActiveRun } from './active-run.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { Mind } from '../mind/mind.ts'
import type { Recalled } from './prior-interruptions.ts'
import type { Resources } from '../kernel/resources.ts'
import type { Vault } from '../vault/vault.ts'

/** What a run in this process is put together from. */
export interface ActiveRunParts {
  readonly host: KernelHost
  readonly mind: Mind
  readonly fold: RunFold
  readonly writer: JournalWriter | undefined
  readonly budget: Budget
  readonly gate: Gate
  /** The mandates that hold over this run's children: its own, its parents', the host's. */
  readonly mandates: readonly Mandate[]
  readonly limits: RunLimits
  readonly redactor: Redactor
  readonly vault?: Vault | undefined
  readonly resources: Resources
  readonly recalled: Recalled
  readonly lease?: Lease | undefined
  readonly parent?: ActiveRun | undefined
  /** The same run as its parent knew it before it was suspended: what it has counted in the budget is not counted again. */
  readonly earlier?: ActiveRun | undefined
  /** Counts for the overseer, where a mandate has one. */
  readonly oversight?: Oversight | undefined
  /** How a question of the kernel's own is carried out. */
  readonly performAside?: ((run: ActiveRun, key: string, effect: Effect) => Promise<void>) | undefined
}
