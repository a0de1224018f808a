import { type Json, MandateError, checkCount, checkFields, isRecord } from '../../core/index.ts'
import type { FieldNames, JsonObject } from '../../core/index.ts'
import type { DatabaseClient, DatabaseQuery } from '../../memory/index.ts'
import type { EmbedTexts } from './embedder.ts'
import type { DocumentRecord, Shelf, StoredChunk } from './shelf.ts'

/** A found part of a document. */
export interface Passage {
  readonly source: string
  /** The headings above it, outermost first. */
  readonly heading: readonly string[]
  /** Its number among the passages of its document, from 1. */
  readonly position: number
  /** Its lines in the document, from 1. */
  readonly line: number
  readonly endLine: number
  readonly text: string
  readonly metadata?: JsonObject | undefined
  /** Higher is better; comparable only within one result. */
  readonly score: number
  /** The cosine similarity of query and passage, if there are vectors. */
  readonly similarity?: number | undefined
}

export interface PassageSearchOptions {
  /** The maximum number of passages; 5 by default. */
  readonly limit?: number | undefined
  /** Only in this document. */
  readonly source?: string | undefined
  /** Only matching chunks, such as `{ 'metadata.team': 'sales' }`. */
  readonly query?: DatabaseQuery | undefined
  readonly signal?: AbortSignal | undefined
}

/** Gets more passages than were requested, and returns the relevant ones in their new order. */
export type Rerank = (
  query: string,
  passages: readonly Passage[],
  signal: AbortSignal,
) => readonly Passage[] | Promise<readonly Passage[]>

interface PassageSettings {
  readonly shelf: Shelf
  readonly embed: EmbedTexts | undefined
  readonly rerank: Rerank | undefined
  readonly database: DatabaseClient
  readonly collection: string
}

const SEARCH_OPTIONS: FieldNames<PassageSearchOptions> = {
  limit: true,
  source: 'text',
  query: 'object',
  signal: 'object',
}
/** How many candidates are fetched for each returned passage, if there is a `rerank`. */
const CANDIDATES = 4

export async function searchPassages(
  query: string,
  options: PassageSearchOptions,
  { shelf, embed, rerank, database, collection }: PassageSettings,
): Promise<readonly Passage[]> {
  checkFields(options, 'an option of `search`', SEARCH_OPTIONS)
  const { source, query: where = {}, signal = new AbortController().signal } = options
  const limit = checkCount(options.limit, '`limit`', 1) ?? 5
  if (query.trim() === '') return []
  const [vector] = (await embed?.([query], signal)) ?? []
  const hits = await database.search!(query, {
    collection,
    topK: rerank === undefined ? limit : limit * CANDIDATES,
    // A condition on `source` must not be replaced by the requested source: passages that match both are selected below.
    query: source === undefined || Object.hasOwn(where, 'source') ? where : { ...where, source },
    vector,
  })
  const records = new Map<string, DocumentRecord>()
  const found: Passage[] = []
  for (const { key, value, score, similarity } of hits) {
    const chunk = chunkIn(value)
    if (chunk === undefined || (source !== undefined && chunk.source !== source)) continue
    const record = records.get(chunk.source) ?? (await shelf.record(chunk.source))
    records.set(chunk.source, record)
    const index = record.chunks.findIndex((place) => place.key === key)
    // A chunk that is just being written or deleted has no place.
    if (index === -1) continue
    const { line, endLine } = record.chunks[index]!
    const likeness = similarity === undefined ? {} : { similarity }
    found.push({ ...chunk, position: index + 1, line, endLine, score, ...likeness })
  }
  const ordered = rerank === undefined ? found : await reranked(rerank, query, found, signal)
  return ordered.slice(0, limit)
}

async function reranked(
  rerank: Rerank,
  query: string,
  found: readonly Passage[],
  signal: AbortSignal,
): Promise<readonly Passage[]> {
  if (found.length === 0) return found
  const ordered = await rerank(query, found, signal)
  const isFound = (one: unknown): boolean =>
    isRecord(one) && found.some(({ source, position }) => source === one.source && position === one.position)
  if (!Array.isArray(ordered) || !ordered.every(isFound))
    throw new MandateError('CONNECTOR_FAILED', '`rerank` must give passages that it was given, in a new order.')
  return ordered
}

function chunkIn(value: Json): StoredChunk | undefined {
  return isRecord(value) && typeof value.source === 'string' && typeof value.text === 'string'
    ? (value as unknown as StoredChunk)
    : undefined
}
