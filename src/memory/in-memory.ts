import { checkNumbers, type Clock, type FieldNames, checkFields } from '../core/index.ts'
import { mapPort } from './records/map-port.ts'
import { type WholeMemory, memoryOver } from './records/memory.ts'

interface InMemoryOptions {
  readonly clock?: Clock | undefined
  /** Entries of all streams together; 10,000 when absent. */
  readonly maxEntries?: number | undefined
  /** Characters of all entries as JSON together; 16 million when absent. */
  readonly maxBytes?: number | undefined
}

const IN_MEMORY_OPTIONS: FieldNames<InMemoryOptions> = { clock: true, maxEntries: true, maxBytes: true }

/**
 * Short-term memory in this process. It is bounded: when a limit is passed, the oldest entries go, whatever stream they are in.
 *
 * @example
 * ```ts
 * import { inMemory } from 'mandate/memory'
 * const memory = inMemory({ maxEntries: 100 })
 * await memory.append('scratchpad', { step: 1, note: 'looked it up' })
 * await memory.read('scratchpad', { limit: 10 })
 * ```
 */
export function inMemory(options: InMemoryOptions = {}): WholeMemory {
  checkFields(options, 'an option of `inMemory`', IN_MEMORY_OPTIONS)
  const { clock, maxEntries = 10_000, maxBytes = 16_000_000 } = options
  checkNumbers(options, 'an option of `inMemory`', { maxEntries: 'cap', maxBytes: 'cap' })
  return memoryOver(mapPort(), { clock, maxCount: maxEntries, maxBytes })
}
