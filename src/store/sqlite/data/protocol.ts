import type {
  CollectionSize,
  NearestAsked,
  PromptRow,
  QueryAsked,
  RankedRow,
  ScanFilter,
  StoredRow,
  TrimAsked,
  Trimmed,
  WordsAsked,
} from '../../../memory/index.ts'
import type { RekeyReport } from '../../encryption/index.ts'
import type { FileOptions } from '../protocol.ts'

/** Options of the thread that owns the data of a file. */
export interface DataOptions extends FileOptions {
  /** The cache size of vectors in bytes; beyond it every search reads them from the file. */
  readonly vectorBytes: number
}

/** A page of a scan, small enough to hold in memory. */
export interface RecordPage {
  readonly rows: readonly StoredRow[]
  /** Where the next page begins; absent on the last one. */
  readonly after?: number | undefined
}

/** The operations of the thread. */
export interface DataOperations {
  open(): void
  put(space: string, rows: readonly StoredRow[]): void
  putIf(space: string, row: StoredRow, before: string | undefined): boolean
  get(space: string, collection: string, key: string): StoredRow | undefined
  delete(space: string, collection: string, key: string, now: number): boolean
  clear(space: string, collection: string): number
  page(space: string, filter: ScanFilter, after: number | undefined): RecordPage
  query(space: string, asked: QueryAsked): readonly StoredRow[]
  collections(space: string): readonly CollectionSize[]
  trim(space: string, asked: TrimAsked): Trimmed
  matchWords(space: string, asked: WordsAsked): readonly RankedRow[]
  nearest(space: string, asked: NearestAsked): readonly RankedRow[]
  addPrompt(id: string, version: number, text: string): boolean
  getPrompt(id: string, version: number | undefined): PromptRow | undefined
  promptVersions(id: string): readonly PromptRow[]
  newestPrompts(): readonly PromptRow[]
  setPromptLabel(id: string, label: string, version: number): void
  promptLabels(id: string): ReadonlyMap<string, number>
  backup(path: string): void
  rekey(): RekeyReport
  close(): void
}

const WRITES: ReadonlySet<string> = new Set<keyof DataOperations>([
  'put',
  'putIf',
  'delete',
  'clear',
  'trim',
  'addPrompt',
  'setPromptLabel',
  'rekey',
])

/** Whether an operation changes the file, and so takes part in a commit. */
export function isDataWrite(op: string): boolean {
  return WRITES.has(op)
}
