/** What a graph does in a comparison: nodes in a row, a fan-out with a join, or one node again and again. */
export type GraphWork = 'sequence' | 'fan' | 'steps'

export const SEQUENCE = 10
export const FAN = 100

/** A graph library with a store behind it. */
export interface GraphSide {
  readonly label: string
  /** Runs a graph once, from its beginning to its end; gives how many notes its nodes have written. */
  run(work: GraphWork, steps?: number): Promise<number>
  /** The bytes that a run of so many steps has left in the store. */
  bytes(steps: number): Promise<number>
  close(): Promise<void>
}
