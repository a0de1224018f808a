/** What a run may do with memory and database, beside what its mandate says. How many writes it may make is a matter of its budget (`storeWrites`). */
export interface MemoryPolicy {
  /** Writes pass the gate and are journaled, and are not carried out: for trying out what an agent would keep. */
  readonly dryRun?: boolean | undefined
  /** What is written is gone after so long, unless the write says sooner. */
  readonly ttlMs?: number | undefined
  /** Entries a stream keeps: after each write the oldest go. */
  readonly maxEntries?: number | undefined
  /** Keeps what the model thought with what it answered. Off when absent: thoughts are neither checked nor meant for anyone. */
  readonly keepReasoning?: boolean | undefined
}
