import type { Clock } from '../../core/index.ts'
import type { Journal, ListPlace, RunEventBus, StoreTransaction } from '../../journal/index.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** What an engine may ask of the kernel. */
export interface EngineHost {
  readonly clock: Clock
  readonly journal: Journal
  /** What is told of runs in this process. */
  readonly events: RunEventBus
  /** Who holds the leases of runs that are driven here. */
  readonly owner: string
  /** The minds that can be driven here, as `kind/name`. */
  minds(): readonly string[]
  /** Drives a run from where its journal stands until it ends or suspends. Idempotent: driving a run that has ended, or that has another owner, does nothing. */
  segment(run: string): Promise<RunOutcome>
  /** Tells the driver of a run in this process that there is news for it. False when the run is not driven here. */
  notify(run: string): boolean
  /** Suspends a run as in doubt without driving it, and notes why: driving it has ended one process after the other. */
  standDown(run: string, problem: string): Promise<void>
  /** Suspended runs with a timer, soonest first: so many of them, behind that place. Paged, because there may be very many. */
  sleeping(limit: number, after?: ListPlace): Promise<readonly { readonly run: string; readonly at: number }[]>
  /** Whether signals wait for a run, or for one below it, that its owner has not taken. */
  isWanted(run: string): Promise<boolean>
  /** Told when a segment could not be driven at all. */
  onFault(run: string, error: unknown): void
}

/** Decides where and when segments of runs are driven. An engine does not deal with effects: the journal holds them. */
export interface Engine {
  readonly name: string
  /** The time that all processes of the engine go by. The kernel uses it unless it was given a clock. */
  readonly clock?: Clock | undefined
  /** Present where runs are driven by whichever process has room for them, also those that are started here. Without it they are driven at once, in this process. */
  readonly placement?: Placement | undefined
  attach(host: EngineHost): Promise<void>
  /** A run has to be driven on: a signal arrived and it has no driver here, or it was started or resumed. Asking again with the same cause changes nothing. */
  dispatch(run: string, cause: string): Promise<void>
  /** Drives the run at that moment, also if the process is restarted in between. */
  schedule(run: string, at: number): Promise<void>
  /** Takes nothing more, and hands over what is suspended from now on. Called before the runs that are driven here are suspended. */
  drain?(): Promise<void>
  stop(): Promise<void>
}

/** How runs are handed to other processes. */
export interface Placement {
  /**
   * Prepares a dispatch, and gives what writes it within a transaction of the store: what the transaction records, and the wake-up, are committed
   * together or not at all. Everything else is asked before: within the transaction no other connection may be waited for.
   */
  enlist(run: string, cause: string): Promise<(transaction: StoreTransaction) => Promise<void>>
  /** Resolves when the segment that was dispatched for this cause is over, in whatever process, also if it was handed from one to another. */
  settled(run: string, cause: string): Promise<void>
}
