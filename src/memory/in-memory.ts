import { checkNumbers, type Clock, type FieldNames, checkFields } from '../core/index.ts'
import { mapPort } from './records/map-port.ts'
import { type WholeMemory, memoryOver } from './records/memory.ts'

interface InMemoryOptions {
  readonly clock?: Clock | undefined
  /** The maximum number of entries in all streams; 10,000 by default. */
  readonly maxEntries?: number | undefined
  /** The maximum size of all entries as JSON, in characters; 16 million by default. */
  readonly maxBytes?: number | undefined
}

const IN_MEMORY_OPTIONS: FieldNames<InMemoryOptions> = { clock: 'object', maxEntries: 'number', maxBytes: true }

/**
 * Creates a memory in this process. It is bounded: beyond a limit the oldest entries are removed, from whichever stream.
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
