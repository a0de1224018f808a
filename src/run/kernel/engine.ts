import type { Clock } from '../../core/index.ts'
import type { ListPlace } from '../../journal/index.ts'
import type { RunOutcome } from '../lifecycle/run-outcome.ts'

/** What an engine may ask of the kernel. */
export interface EngineHost {
  readonly clock: Clock
  /** Drives a run from where its journal stands until it ends or suspends. Driving a run that is over, or that someone else has, does no harm. */
  segment(run: string): Promise<RunOutcome>
  /** Suspended runs with a timer, soonest first: so many of them, behind that place. There may be very many, so nobody has to ask for all. */
  sleeping(limit: number, after?: ListPlace): Promise<readonly { readonly run: string; readonly at: number }[]>
  /** Told when a segment could not be driven at all. */
  onFault(run: string, error: unknown): void
}

/** Decides where and when segments of runs are driven. Effects are never the engine's business: the journal already holds them. */
export interface Engine {
  readonly name: string
  attach(host: EngineHost): Promise<void>
  /** Something has arrived for a run that nobody drives at the moment. */
  dispatch(run: string): Promise<void>
  /** Drives the run at that moment, also if the process is restarted in between. */
  schedule(run: string, at: number): Promise<void>
  stop(): Promise<void>
}
