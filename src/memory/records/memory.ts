import { checkNumbers, systemRandom, checkCount, checkFields } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { MemoryClient } from '../clients.ts'
import type { RecordPort } from './port.ts'
import { searchRecords } from './search.ts'
import { CALL_OPTIONS, TRIM_NUMBERS } from './call-options.ts'
import { RECORD_OPTIONS, type RecordOptions, RecordSpace } from './space.ts'

/** A memory with all optional operations. */
export type WholeMemory = Required<Omit<MemoryClient, 'labels'>> & Pick<MemoryClient, 'labels'>

/**
 * Creates a memory over a port of a store.
 *
 * @example
 * ```ts
 * import { memoryOver } from 'mandate/kit'
 * import type { RecordPort } from 'mandate/kit'
 * declare const port: RecordPort
 * const memory = memoryOver(port, { maxCount: 10_000 })
 * await memory.append('scratchpad', { note: 'looked it up' })
 * ```
 */
export function memoryOver(port: RecordPort, options: RecordOptions = {}): WholeMemory {
  checkFields(options, 'an option of a memory', RECORD_OPTIONS)
  const space = new RecordSpace(port, 'memory', options)
  return {
    ...(options.labels === undefined ? {} : { labels: options.labels }),
    async append(streamKey, value, given = {}) {
      checkFields(given, 'an option of `append`', CALL_OPTIONS.write)
      await space.put(streamKey, [{ ...given, key: systemRandom.hex(12), value, isKeyFound: false }])
    },
    async read(streamKey, given = {}) {
      checkFields(given, 'an option of `read`', CALL_OPTIONS.readMemory)
      const { limit } = given
      checkCount(limit, '`limit`')
      const entries: Json[] = []
      for await (const { value } of space.rows([], { collection: streamKey, newest: limit })) entries.push(value)
      return entries
    },
    async search(text, given = {}) {
      checkFields(given, 'an option of `search`', CALL_OPTIONS.searchMemory)
      const { limit = 10, streamKey, vector } = given
      checkCount(limit, '`limit`')
      const asked = { text, vector, collection: streamKey, conditions: [], limit, areKeysFound: false }
      return (await searchRecords(space, asked)).map(({ row }) => row.value)
    },
    async clear(streamKey) {
      await space.clear(streamKey)
    },
    streams: () => space.collections(),
    async trim(limits) {
      checkFields(limits, 'a limit of `trim`', CALL_OPTIONS.trim)
      checkNumbers(limits, 'a limit of `trim`', TRIM_NUMBERS)
      return space.trim(limits)
    },
    close: () => space.close(),
  }
}
