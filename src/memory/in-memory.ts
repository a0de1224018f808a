import { MandateError } from '../core/index.ts'
import type { MemoryClient } from './clients.ts'
import { fromText, jsonText } from './json-text.ts'
import { scoreWords, wordsOf } from './words.ts'

export interface InMemoryOptions {
  /** Entries of all streams together; 10,000 when absent. */
  readonly maxEntries?: number | undefined
  /** Characters of all entries as JSON together; 16 million when absent. */
  readonly maxBytes?: number | undefined
}

interface Entry {
  readonly stream: string
  readonly text: string
}

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
export function inMemory(options: InMemoryOptions = {}): Required<Omit<MemoryClient, 'labels'>> {
  const maxEntries = limitOf(options.maxEntries, 10_000, 'maxEntries')
  const maxBytes = limitOf(options.maxBytes, 16_000_000, 'maxBytes')
  // Maps keep the order in which entries came, so the first key is the oldest: over all streams, and in each.
  const all = new Map<number, Entry>()
  const streams = new Map<string, Map<number, Entry>>()
  let bytes = 0
  let next = 0

  const remove = (id: number, entry: Entry): void => {
    all.delete(id)
    bytes -= entry.text.length
    const stream = streams.get(entry.stream)
    stream?.delete(id)
    if (stream?.size === 0) streams.delete(entry.stream)
  }
  const evict = (): void => {
    for (const [id, entry] of all) {
      if (all.size <= maxEntries && bytes <= maxBytes) return
      remove(id, entry)
    }
  }

  return {
    async append(streamKey, given) {
      const entry = { stream: streamKey, text: jsonText(given, `The entry for "${streamKey}"`) }
      if (entry.text.length > maxBytes) {
        throw new MandateError(
          'LIMIT_EXCEEDED',
          `An entry of ${entry.text.length} characters does not fit into a memory of ${maxBytes}. Store less, or raise \`maxBytes\`.`,
        )
      }
      const id = next++
      all.set(id, entry)
      streams.set(streamKey, (streams.get(streamKey) ?? new Map()).set(id, entry))
      bytes += entry.text.length
      evict()
    },
    async read(streamKey, { limit } = {}) {
      const entries = [...(streams.get(streamKey)?.values() ?? [])]
      const newest = limit === undefined ? entries : limit <= 0 ? [] : entries.slice(-limit)
      return newest.map((entry) => fromText(entry.text))
    },
    async search(query, { limit = 10, streamKey } = {}) {
      const words = wordsOf(query)
      const found = [...(streamKey === undefined ? all : (streams.get(streamKey) ?? []))]
        .map(([id, entry]) => ({ id, entry, score: scoreWords(words, entry.text) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || b.id - a.id)
      return found.slice(0, Math.max(limit, 0)).map(({ entry }) => fromText(entry.text))
    },
    async clear(streamKey) {
      for (const [id, entry] of streams.get(streamKey) ?? []) remove(id, entry)
    },
  }
}

function limitOf(given: number | undefined, fallback: number, name: string): number {
  if (given === undefined) return fallback
  if (typeof given === 'number' && given >= 1) return given
  throw new MandateError('CONFIG_INVALID', `\`${name}\` is ${String(given)}. Give a number from 1 up, or leave it out.`)
}
