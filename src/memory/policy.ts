/** Restrictions of a run's use of memory and database, besides its mandate. The number of writes is limited by its budget (`storeWrites`). */
export interface MemoryPolicy {
  /** Writes pass the gate and are journaled, but not performed: to see what an agent would store. */
  readonly dryRun?: boolean | undefined
  /** The lifetime of written values, unless the write has a shorter one. */
  readonly ttlMs?: number | undefined
  /** The maximum number of entries in a stream: after each write the oldest are removed. */
  readonly maxEntries?: number | undefined
  /** Also stores the model's reasoning with its answers. Off by default, because reasoning is unverified and not meant for readers. */
  readonly keepReasoning?: boolean | undefined
}
