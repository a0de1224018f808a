import { MandateError, newId } from '../../core/index.ts'
import { isEnded } from '../../journal/index.ts'
import type { Journal } from '../../journal/index.ts'
import { isForkOrImport } from '../approvals/rule-scope.ts'
import type { KernelHost } from '../kernel/host.ts'
import type { ActiveRun } from '../lifecycle/active-run.ts'
import { isOwner } from '../lifecycle/lease.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'
import type { ChildRequest } from '../nested/child.ts'
import type { Engine } from './engine.ts'

/** A child that no process has taken after this time is driven by its parent's process. */
const TAKEN_MS = 1_000
/** A child without new entries for this long may have lost its driver, and is dispatched again. */
const SILENT_MS = 15_000

/**
 * Whether a child may be driven in another process than its parent. It needs an allotment, so that its budget does not depend on its parent's memory.
 * Cells need their session, and the rights of forks and imported runs are known only together with their parents.
 */
export function isPlaceable({ kind, allot, parent }: ChildRequest): boolean {
  return kind !== 'cell' && allot !== undefined && parent.start.durability !== 'exit' && !isForkOrImport(parent)
}

interface Parts {
  readonly host: KernelHost
  readonly engine: Engine
  /** The sequence number of the child's last entry when it was handed over. */
  readonly seen: number
  readonly driveHere: () => Promise<RunOutcome>
}

/** The parent's side of a child that it has handed over: cancels the child with the parent, and makes sure that some process drives it. */
export class DistantChild {
  readonly #request: ChildRequest
  readonly #parts: Parts
  readonly #outcome: PromiseWithResolvers<RunOutcome> = Promise.withResolvers()
  readonly #stops: (() => void)[] = []
  #stopTimer: (() => void) | undefined
  #isLeft = false
  #head: number

  constructor(request: ChildRequest, parts: Parts) {
    this.#request = request
    this.#parts = parts
    this.#head = parts.seen
    // The parent may no longer be waiting when it fails.
    this.#outcome.promise.catch(() => {})
    const { parent, signal } = request
    const cut = (): void => void this.#cut().catch((error: unknown) => this.#outcome.reject(error))
    if (signal.aborted) cut()
    else signal.addEventListener('abort', cut)
    const interrupt = (): void => this.#outcome.resolve(interrupted(request))
    if (parent.interruption.hasFired) interrupt()
    this.#stops.push(parent.interruption.on(interrupt), () => signal.removeEventListener('abort', cut))
    this.#lookIn(signal.aborted ? 0 : TAKEN_MS)
  }

  /** The outcome of the child in this process, or the request that its parent suspends. Any other outcome is read from the child's journal. */
  get outcome(): Promise<RunOutcome> {
    return this.#outcome.promise
  }

  leave(): void {
    this.#isLeft = true
    this.#stopTimer?.()
    for (const stop of this.#stops) stop()
  }

  /**
   * Cancels the child through its inbox, in any process. A parent that only lost its journal has not ended, so its child is not cancelled. A process that was
   * paused may have lost the run without noticing, so the store is queried first.
   */
  async #cut(): Promise<void> {
    const { id, parent, signal } = this.#request
    const { clock, random, journal } = this.#parts.host
    if (!(await isOver(parent, journal)) && !(await isOwner(parent))) return
    const reason = (parent.abortReason ?? (signal.reason as MandateError | undefined))?.message ?? 'cancelled'
    const said = { type: 'cancel', by: parent.start.identity, data: { reason } } as const
    await journal.signal(id, { ...said, id: newId('cancel', clock, random), at: clock.now() })
  }

  #lookIn(ms: number): void {
    if (this.#isLeft) return
    this.#stopTimer = this.#parts.host.clock.timer(ms, () => {
      this.#look().then(
        () => this.#lookIn(SILENT_MS),
        (error: unknown) => this.#outcome.reject(error),
      )
    })
  }

  async #look(): Promise<void> {
    const { id } = this.#request
    const { host, engine, seen } = this.#parts
    const summary = await host.journal.summary(id)
    if (summary === undefined || isEnded(summary.state)) return
    const { seq } = summary.head
    if (seq <= seen) await this.#driveHere()
    else if (seq === this.#head) await engine.dispatch(id, `silent/${seq}/${newId('look', host.clock, host.random)}`)
    this.#head = seq
  }

  async #driveHere(): Promise<void> {
    try {
      this.#outcome.resolve(await this.#parts.driveHere())
    } catch (error) {
      // Another process took the child at the same moment.
      if (!MandateError.isInstance(error) || error.code !== 'LEASE_HELD') throw error
    }
  }
}

async function isOver({ id }: ActiveRun, journal: Journal): Promise<boolean> {
  const summary = await journal.summary(id)
  return summary !== undefined && isEnded(summary.state)
}

/** The outcome that suspends the parent. The child continues in its process, and the next driver of the parent follows it again. */
function interrupted({ id, key, parent }: ChildRequest): RunOutcome {
  return { state: 'suspended', run: id, reason: 'interrupt', pending: [{ key, reason: 'interrupt', run: parent.id }] }
}
