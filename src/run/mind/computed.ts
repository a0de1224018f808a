/** What the mind of a run has computed in this execution, without that of its children. */
export class Computed {
  fuel = 0
  /** As much of the fuel is in the budget already. */
  counted: number
  /** The most bytes that a program of this mind has held. */
  memoryPeak = 0

  constructor(counted = 0) {
    this.counted = counted
  }
}
