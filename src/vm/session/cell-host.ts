import type { EffectLabels, Json, Outcome } from '../../core/index.ts'

/** A request of a cell to its host. */
export interface CellRequest {
  readonly kind: string
  readonly name: string
  readonly input: Json
  /** Labels of the parts of the input, if labels are tracked. */
  readonly labels?: EffectLabels | undefined
}

/** Implements the functions of a cell. */
export interface CellHost {
  /** Performs an asynchronous function of cells. */
  perform(request: CellRequest, signal: AbortSignal): Promise<Outcome>
  /** Performs a synchronous function of cells. */
  call(name: string, args: readonly Json[]): Json | undefined
  print(level: string, text: string): void
  now(): number
  random(): number
}
