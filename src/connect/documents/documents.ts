import { isRecord, checkNumbers, type Label, MandateError, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { DatabaseClient } from '../../memory/index.ts'
import type { EmbeddingModel } from '../../model/index.ts'
import type { Tool } from '../../tool/index.ts'
import { type Chunking, chunker } from './chunks.ts'
import { type EmbedTexts, embedderOf } from './embedder.ts'
import { type IndexOptions, type Indexed, type SourceDocument, indexDocuments } from './document-index.ts'
import { type Passage, type PassageSearchOptions, type Rerank, searchPassages } from './passages.ts'
import { type SearchToolOptions, searchTool } from './search-tool.ts'
import { Shelf } from './shelf.ts'

export interface DocumentsOptions {
  readonly database: DatabaseClient
  /** The collection of the documents; `documents` by default. `<collection>.sources` is used as well. */
  readonly collection?: string | undefined
  /** How documents are divided; `markdown` by default. */
  readonly chunk?: Chunking | undefined
  /** An embedding model, or a function from texts to vectors: passages are then found by meaning and by words, otherwise by words alone. */
  readonly embed?: EmbeddingModel | EmbedTexts | undefined
  /** How many chunks are embedded and written at once; 64 by default. */
  readonly batchSize?: number | undefined
  /** Sorts the passages of a search again, and may leave some out. */
  readonly rerank?: Rerank | undefined
  /** Labels of the passages in runs; `untrusted:documents` by default. */
  readonly labels?: readonly Label[] | undefined
}

/** Documents in a database, for agents that answer from them. */
interface Documents {
  /** Divides, embeds and stores documents. Unchanged chunks are not embedded again; chunks that no longer exist are deleted. */
  index(documents: Iterable<SourceDocument> | AsyncIterable<SourceDocument>, options?: IndexOptions): Promise<Indexed>
  /** The most relevant passages, best first. */
  search(query: string, options?: PassageSearchOptions): Promise<readonly Passage[]>
  /** The tool with which an agent searches: `search_documents`. */
  tool(options?: SearchToolOptions): Tool
}

const DOCUMENTS_OPTIONS: FieldNames<DocumentsOptions> = {
  database: 'object',
  collection: 'text',
  chunk: true,
  embed: 'function|object',
  batchSize: true,
  rerank: 'function',
  labels: 'texts',
}

/**
 * Creates an index of documents that agents search and cite: divided into passages, embedded in batches and stored in a database by the content of
 * each passage.
 *
 * @example
 * ```ts
 * import { Agent } from 'mandate'
 * import { documents } from 'mandate/connect'
 * import { inMemoryDatabase } from 'mandate/memory'
 * import { scripted } from 'mandate/model'
 * const manual = documents({ database: inMemoryDatabase(), chunk: 'markdown' })
 * await manual.index([{ source: 'guide.md', text: '# Setup\n\nRun the installer.' }])
 * const agent = new Agent({ model: scripted(['Run the installer [guide.md:3].']), tools: [manual.tool()] })
 * ```
 */
export function documents(options: DocumentsOptions): Documents {
  checkNeeded(options, 'an option of `documents`', DOCUMENTS_OPTIONS)
  const { database, collection = 'documents', chunk = 'markdown', rerank } = options
  checkNumbers(options, 'an option of `documents`', { batchSize: 'count+' })
  if (!isRecord(database) || database.search === undefined || database.delete === undefined)
    throw new MandateError(
      'CONFIG_INVALID',
      '`database` must have `search` and `delete`. Use one of those in mandate/memory.',
    )
  const embedder = embedderOf(options.embed)
  const shelf = new Shelf(database, collection)
  const settings = {
    shelf,
    embedder,
    chunk: chunker(chunk),
    batchSize: options.batchSize ?? 64,
  }
  const search = { shelf, rerank, database, collection }
  // Serialized: concurrent calls would delete what the other writes.
  let last: Promise<unknown> = Promise.resolve()
  return {
    index(given, indexOptions = {}) {
      const turn = last.then(() => indexDocuments(given, indexOptions, settings))
      last = turn.catch(() => undefined)
      return turn
    },
    search: (query, given = {}) => searchPassages(query, given, { ...search, embed: embedder?.embed }),
    tool: (toolOptions = {}) =>
      searchTool(toolOptions, {
        find: (query, given, context) => searchPassages(query, given, { ...search, embed: embedder?.embedIn(context) }),
        labels: [...(options.labels ?? ['untrusted:documents']), ...(database.labels ?? [])],
      }),
  }
}
