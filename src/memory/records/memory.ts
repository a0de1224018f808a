import { systemRandom } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MemoryClient } from '../clients.ts'
import type { RecordPort } from './port.ts'
import { searchRecords } from './search.ts'
import { type RecordOptions, RecordSpace } from './space.ts'

/** A memory that can do everything the contract says. */
export type WholeMemory = Required<Omit<MemoryClient, 'labels'>> & Pick<MemoryClient, 'labels'>

/**
 * Memory in streams over a store: whoever writes a store writes the port, and gets the memory.
 *
 * @example
 * ```ts
 * import { memoryOver } from 'mandate/memory'
 * import type { RecordPort } from 'mandate/memory'
 * declare const port: RecordPort
 * const memory = memoryOver(port, { maxCount: 10_000 })
 * await memory.append('scratchpad', { note: 'looked it up' })
 * ```
 */
export function memoryOver(port: RecordPort, options: RecordOptions = {}): WholeMemory {
  const space = new RecordSpace(port, 'memory', options)
  return {
    ...(options.labels === undefined ? {} : { labels: options.labels }),
    append: (streamKey, value, given = {}) =>
      space.put(streamKey, [{ ...given, key: systemRandom.hex(12), value, isKeyFound: false }]),
    async read(streamKey, { limit } = {}) {
      const entries: Json[] = []
      for await (const { value } of space.rows([], { collection: streamKey, newest: limit })) entries.push(value)
      return entries
    },
    async search(text, { limit = 10, streamKey, vector } = {}) {
      const asked = { text, vector, collection: streamKey, conditions: [], limit, areKeysFound: false }
      return (await searchRecords(space, asked)).map(({ row }) => row.value)
    },
    async clear(streamKey) {
      await space.clear(streamKey)
    },
    streams: () => space.collections(),
    trim: async (limits) => space.trim(limits),
    close: () => space.close(),
  }
}
