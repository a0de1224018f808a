import { type JsonObject, MandateError, canonical, checkFields, isRecord, sha256 } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Chunk } from './chunks.ts'
import type { Embedder } from './embedder.ts'
import type { DocumentRecord, Place, Shelf, StoredChunk } from './shelf.ts'

/** A text with the name by which it is cited. */
export interface SourceDocument {
  /** A path, a URL or an id: the same document must have the same source each time. */
  readonly source: string
  readonly text: string
  /** Stored with each chunk; searches can filter by `metadata.<field>`. */
  readonly metadata?: JsonObject | undefined
}

export interface IndexOptions {
  /** These are all the documents: other stored ones are deleted. */
  readonly prune?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The result of `index`, in chunks. */
export interface Indexed {
  readonly documents: number
  /** The number of stored chunks of these documents. */
  readonly chunks: number
  /** The number of new chunks, which were embedded and written. */
  readonly added: number
  /** The number of chunks that no longer exist, and were deleted. */
  readonly deleted: number
}

interface IndexSettings {
  readonly shelf: Shelf
  readonly embedder: Embedder | undefined
  readonly batchSize: number
  chunk(text: string): readonly Chunk[]
}

interface NewChunk {
  readonly key: string
  readonly value: StoredChunk
}

/** The changes for one document. */
interface Change {
  readonly record: DocumentRecord
  readonly added: readonly NewChunk[]
  readonly vanished: readonly string[]
}

const DOCUMENT_FIELDS: FieldNames<SourceDocument> = { source: 'text', text: 'text', metadata: 'object' }
const INDEX_OPTIONS: FieldNames<IndexOptions> = { prune: 'flag', signal: 'object' }

/**
 * Updates the stored chunks to the documents. Keys are hashes of the content, so existing chunks stay as they are. New chunks are listed in the
 * record of their document before they are written, so that after a crash the next call finds all of them.
 */
export async function indexDocuments(
  documents: Iterable<SourceDocument> | AsyncIterable<SourceDocument>,
  options: IndexOptions,
  settings: IndexSettings,
): Promise<Indexed> {
  checkFields(options, 'an option of `index`', INDEX_OPTIONS)
  const { prune = false, signal = new AbortController().signal } = options
  const { shelf, batchSize } = settings
  const seen = new Set<string>()
  const done = { chunks: 0, added: 0, deleted: 0 }
  let open: Change[] = []
  let waiting = 0
  const settle = async (): Promise<void> => {
    await carryOut(open, settings, signal)
    open = []
    waiting = 0
  }
  for await (const document of documents) {
    signal.throwIfAborted()
    checkDocument(document, seen)
    const change = await changeFor(document, settings)
    done.chunks += change.record.chunks.length
    done.added += change.added.length
    done.deleted += change.vanished.length
    open.push(change)
    waiting += change.added.length
    if (waiting >= batchSize || open.length >= batchSize) await settle()
  }
  await settle()
  for (const source of prune ? await shelf.sources() : []) {
    if (!seen.has(source)) done.deleted += await removeDocument(shelf, source)
  }
  return { documents: seen.size, ...done }
}

function checkDocument(document: SourceDocument, seen: Set<string>): void {
  checkFields(document, 'a field of a document', DOCUMENT_FIELDS, 'INPUT_INVALID')
  if (!isRecord(document) || typeof document.source !== 'string' || typeof document.text !== 'string')
    throw new MandateError('INPUT_INVALID', 'A document must have a `source` and a `text`, both texts.')
  const { source } = document
  if (source.trim() === '')
    throw new MandateError('INPUT_INVALID', 'The `source` of a document is empty. Give a path, an address or an id.')
  if (seen.has(source))
    throw new MandateError('INPUT_INVALID', `Two documents have the source "${source}". Give each its own.`)
  seen.add(source)
}

async function changeFor({ source, text, metadata }: SourceDocument, settings: IndexSettings): Promise<Change> {
  const { shelf, embedder } = settings
  const before = await shelf.record(source)
  const known = new Set(before.chunks.map(({ key }) => key))
  for (const key of before.unsettled) if (await shelf.holds(key)) known.add(key)
  const lineAt = lineCounter(text)
  const places = new Map<string, Place>()
  const added: NewChunk[] = []
  for (const { text: said, start, heading = [] } of settings.chunk(text)) {
    const value = { source, heading, text: said, ...(metadata === undefined ? {} : { metadata }) }
    const key = freeKey(canonical([embedder?.id ?? null, value]), places)
    places.set(key, { key, line: lineAt(start), endLine: lineAt(start + said.trimEnd().length) })
    if (!known.has(key)) added.push({ key, value })
  }
  const vanished = [...new Set([...before.chunks.map(({ key }) => key), ...before.unsettled])].filter(
    (key) => !places.has(key),
  )
  return { record: { source, chunks: [...places.values()], unsettled: [] }, added, vanished }
}

/** The key of a chunk; repeated content in a document gets a numbered key. */
function freeKey(content: string, taken: ReadonlyMap<string, unknown>): string {
  for (let time = 0; ; time++) {
    const key = sha256(`${time} ${content}`).slice(0, 32)
    if (!taken.has(key)) return key
  }
}

/** Creates a function that returns the line of a position, from 1. */
function lineCounter(text: string): (position: number) => number {
  const breaks: number[] = []
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks.push(at)
  return (position) => {
    let low = 0
    let high = breaks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (breaks[middle]! < position) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

async function carryOut(changes: readonly Change[], settings: IndexSettings, signal: AbortSignal): Promise<void> {
  const { shelf, batchSize } = settings
  for (const { record, added } of changes) {
    if (added.length === 0) continue
    const before = await shelf.record(record.source)
    const unsettled = [...new Set([...before.unsettled, ...added.map(({ key }) => key)])]
    await shelf.keep({ ...before, unsettled })
  }
  const added = changes.flatMap((change) => change.added)
  for (let from = 0; from < added.length; from += batchSize)
    await addBatch(added.slice(from, from + batchSize), settings, signal)
  for (const { record, vanished } of changes) {
    if (vanished.length > 0) await shelf.keep({ ...record, unsettled: vanished })
    await shelf.remove(vanished)
    if (canonical(await shelf.record(record.source)) !== canonical(record)) await shelf.keep(record)
  }
}

async function addBatch(batch: readonly NewChunk[], settings: IndexSettings, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { shelf, embedder } = settings
  const vectors = await embedder?.embed(
    batch.map(({ value }) => embeddedText(value)),
    signal,
  )
  await shelf.add(batch.map(({ key, value }, index) => ({ key, value, vector: vectors?.[index] })))
}

/** Includes the headings, which often name the subject of a text. */
function embeddedText({ heading, text }: StoredChunk): string {
  return [...(heading.length === 0 ? [] : [heading.join(' > ')]), text].join('\n')
}

async function removeDocument(shelf: Shelf, source: string): Promise<number> {
  const { chunks, unsettled } = await shelf.record(source)
  const keys = [...new Set([...chunks.map(({ key }) => key), ...unsettled])]
  await shelf.remove(keys)
  await shelf.keep({ source, chunks: [], unsettled: [] })
  return keys.length
}
