/** The work of a graph in a comparison: a sequence of nodes, a fan-out with a join, or one node repeatedly. */
export type GraphWork = 'sequence' | 'fan' | 'steps'

export const SEQUENCE = 10
export const FAN = 100

/** A graph library with a store. */
export interface GraphSide {
  readonly label: string
  /** Runs a graph once, and returns the number of notes written by its nodes. */
  run(work: GraphWork, steps?: number): Promise<number>
  /** Returns the bytes that a run of this many steps has stored. */
  bytes(steps: number): Promise<number>
  close(): Promise<void>
}
