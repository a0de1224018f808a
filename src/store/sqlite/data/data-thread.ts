import { MandateError } from '../../../core/index.ts'
import type { ThreadCall, ThreadPost } from '../file-thread.ts'
import { GroupCommit } from '../group-commit.ts'
import type { CommitHost } from '../group-commit.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { DataFile } from './data-file.ts'
import { PromptRows } from './prompt-rows.ts'
import { isDataWrite } from './protocol.ts'
import type { DataOperations, DataOptions } from './protocol.ts'
import { Records } from './records.ts'

/** The thread that owns the records and prompts of a file. */
export class DataThread implements CommitHost<ThreadCall> {
  readonly #data: DataFile
  readonly #records: Records
  readonly #operations: DataOperations
  readonly #commits: GroupCommit<ThreadCall>

  constructor(options: DataOptions, post: (message: ThreadPost<never>) => void) {
    this.#data = new DataFile(options)
    this.#records = new Records(this.#data)
    this.#operations = operationsOn(this.#data, this.#records)
    this.#commits = new GroupCommit<ThreadCall>(this, post)
  }

  get file(): SqliteFile {
    return this.#data.file
  }

  take(call: ThreadCall): void {
    this.#commits.take(call)
  }

  isWrite({ op }: ThreadCall): boolean {
    return isDataWrite(op)
  }

  isFileless({ op }: ThreadCall): boolean {
    return op === 'close'
  }

  open(): void {
    this.#data.open()
    this.file.checkPresence()
  }

  begun(): void {
    this.#data.checkSealing()
  }

  committed(writes: readonly ThreadCall[]): void {
    // Not before it is on disk: data encrypted with a lost key could never be read.
    if (writes.some(({ op }) => op === 'rekey')) this.file.learnKeys()
    if (writes.some(isThorough)) this.#emptyLog()
  }

  rolledBack(): void {
    this.#records.rolledBack()
  }

  requestRolledBack(): void {
    this.#records.rolledBack()
  }

  /** Cached state of the transaction is discarded with the handle. */
  readBack(): ReadonlySet<number> {
    this.file.drop()
    return new Set()
  }

  afterTurn(): void {}

  perform({ op, args }: ThreadCall): unknown {
    // The type checker cannot infer that an operation and its arguments match.
    const operation = this.#operations[op as keyof DataOperations] as (...given: readonly unknown[]) => unknown
    return operation(...args)
  }

  /** Empties the write-ahead log, which still has deleted data. If a reader in another process prevents it, the next call does it. */
  #emptyLog(): void {
    try {
      this.file.checkpoint()
    } catch {
      // The write itself is on disk; a failing disk is reported by the next one.
    }
  }
}

function isThorough({ op, args }: ThreadCall): boolean {
  return op === 'trim' && (args as Parameters<DataOperations['trim']>)[1].isThorough === true
}

function operationsOn(data: DataFile, records: Records): DataOperations {
  const prompts = new PromptRows(data)
  return {
    open: () => data.open(),
    put: (space, rows) => records.put(space, rows),
    putIf: (space, row, before) => records.putIf(space, row, before),
    get: (space, collection, key) => records.get(space, collection, key),
    delete: (space, collection, key, now) => records.delete(space, collection, key, now),
    clear: (space, collection) => records.clear(space, collection),
    page: (space, filter, after) => records.page(space, filter, after),
    query: (space, asked) => records.query(space, asked),
    collections: (space) => records.collections(space),
    trim: (space, asked) => records.trim(space, asked),
    matchWords: (space, asked) => records.matchWords(space, asked),
    nearest: (space, asked) => records.nearest(space, asked),
    addPrompt: (id, version, text) => prompts.add(id, version, text),
    getPrompt: (id, version) => prompts.get(id, version),
    promptVersions: (id) => prompts.versions(id),
    newestPrompts: () => prompts.newest(),
    setPromptLabel: (id, label, version) => prompts.setLabel(id, label, version),
    promptLabels: (id) => prompts.labels(id),
    backup: (path) => copyTo(data, path),
    rekey: () => data.file.rekey(),
    close: () => data.file.drop(),
  }
}

/** Copies the whole file as of one moment, including the journal, to a new file. */
function copyTo(data: DataFile, path: string): void {
  try {
    data.file.run('VACUUM INTO ?', path)
  } catch (cause) {
    throw new MandateError(
      'STORE_FAILED',
      `${path} cannot be written: ${String(cause)}. Give the path of a new file.`,
      {
        cause,
      },
    )
  }
}
