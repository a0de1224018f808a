import type { Clock } from '../../core/index.ts'
import type { ListPlace } from '../../journal/index.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** What an engine may ask of the kernel. */
export interface EngineHost {
  readonly clock: Clock
  /** Drives a run from where its journal stands until it ends or suspends. Idempotent: driving a run that has ended, or that has another owner, does nothing. */
  segment(run: string): Promise<RunOutcome>
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
  attach(host: EngineHost): Promise<void>
  /** A signal arrived for a run without a driver. */
  dispatch(run: string): Promise<void>
  /** Drives the run at that moment, also if the process is restarted in between. */
  schedule(run: string, at: number): Promise<void>
  stop(): Promise<void>
}
