import type { Clock } from '../../core/index.ts'
import type { Journal, ListPlace, RunEventBus, RunSummary, StoreTransaction } from '../../journal/index.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** Why a process cannot drive a run. */
export interface Obstacle {
  readonly reason: string
  /** The mind that the process lacks or has with different pins, as `kind/name`: that of the run, or of an open run below it. */
  readonly mind: string
  /** The hash of the run's pins: a process whose mind has the same hash can drive it. */
  readonly pins: string
}

/** The operations of the kernel that an engine uses. */
export interface EngineHost {
  readonly clock: Clock
  readonly journal: Journal
  /** The events of runs in this process. */
  readonly events: RunEventBus
  /** The owner of the leases of runs that are driven here. */
  readonly owner: string
  /** The minds that can be driven here, as `kind/name`, each with a hash of what it pins when a run starts. */
  minds(): Readonly<Record<string, string>>
  /** Why a run cannot be driven here; `undefined` if it can, and if there is no such run. */
  obstacle(run: string): Promise<Obstacle | undefined>
  /** Drives a run from where its journal stands until it ends or suspends. Idempotent: driving a run that has ended, or that has another owner, does nothing. */
  segment(run: string): Promise<RunOutcome>
  /** Notifies the driver of a run in this process about a new signal. Returns false if the run is not driven here. */
  notify(run: string): boolean
  /** Whether a run is driven in this process. Its events here are then its own, and not those that another process has sent. */
  drives(run: string): boolean
  /** Suspends a run as in doubt without driving it, and notes why: repeated attempts to drive it have crashed their processes. */
  standDown(run: string, problem: string): Promise<void>
  /** Suspended runs with a timer, soonest first: at most `limit`, starting behind `after`. Paged, because there may be very many. */
  sleeping(limit: number, after?: ListPlace): Promise<readonly { readonly run: string; readonly at: number }[]>
  /** Whether a run, or one below it, has signals that its owner has not read. */
  isWanted(run: string): Promise<boolean>
  /** Called when a segment could not be driven at all. */
  onFault(run: string, error: unknown): void
}

/** Decides where and when segments of runs are driven. An engine does not deal with effects: they are in the journal. */
export interface Engine {
  /** Its name in reports and errors. */
  readonly name: string
  /** The time shared by all processes of the engine. The kernel uses it unless it was given a clock. */
  readonly clock?: Clock | undefined
  /** Present where any process may drive a run, including those started here. Without it runs are driven at once, in this process. */
  readonly placement?: Placement | undefined
  /** How long calls in flight may take to finish when the process stops, before they are interrupted. Absent: they are interrupted at once. */
  readonly drainMs?: number | undefined
  /** Called once, with the host whose runs the engine drives. */
  attach(host: EngineHost): Promise<void>
  /** Requests that a run be driven: a signal arrived while it has no driver here, or it was started or resumed. Idempotent for the same cause. */
  dispatch(run: string, cause: string): Promise<void>
  /** Drives the run at that time, also if the process is restarted in between. */
  schedule(run: string, at: number): Promise<void>
  /** Takes no new runs, and hands over those that suspend from now on. Called before the runs that are driven here are suspended. */
  drain?(): Promise<void>
  /** Takes no more work, and resolves when everything it drives is suspended or over. */
  stop(): Promise<void>
}

/**
 * Whether a run is never handed to other processes: a cell of a session, whose functions and variables are in the process that evaluates it. That process
 * drives it, when it begins the cell and when it resumes the session.
 */
export function isKept({ mind, parent }: Pick<RunSummary, 'mind' | 'parent'>): boolean {
  return mind === 'cell' && parent === undefined
}

/** How runs are handed to other processes. */
export interface Placement {
  /**
   * Prepares a dispatch, and returns the function that writes it within a transaction of the store: the record and the wake-up are committed together
   * or not at all. All lookups are done beforehand, because within the transaction no other connection may be awaited.
   */
  enlist(run: string, cause: string): Promise<(transaction: StoreTransaction) => Promise<void>>
  /** Resolves when the segment that was dispatched for this cause is over, in any process, also if it was passed from one to another. */
  settled(run: string, cause: string): Promise<void>
}
