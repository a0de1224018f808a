import { MandateError, afterTurn, errorInfo } from '../../../core/index.ts'
import type { ThreadCall, ThreadPost } from '../file-thread.ts'
import { isBusy, isRequestFault, storeError } from '../store-errors.ts'
import { DataFile } from './data-file.ts'
import { PromptRows } from './prompt-rows.ts'
import { isDataWrite } from './protocol.ts'
import type { DataOperations, DataOptions } from './protocol.ts'
import { Records } from './records.ts'

type Answer = NonNullable<ThreadPost<never>['answers']>[number]

/**
 * The life of the thread that owns the data of a file, in turns. While one turn waits for the disk, calls gather; the next takes them all,
 * so that many writes share one transaction and one sync. Writes go first, reads see their result.
 */
export class DataTurns {
  readonly #data: DataFile
  readonly #records: Records
  readonly #operations: DataOperations
  readonly #post: (message: ThreadPost<never>) => void
  #gathered: ThreadCall[] = []

  constructor(options: DataOptions, post: (message: ThreadPost<never>) => void) {
    this.#data = new DataFile(options)
    this.#records = new Records(this.#data)
    this.#operations = operationsOn(this.#data, this.#records)
    this.#post = post
  }

  take(call: ThreadCall): void {
    this.#gathered.push(call)
    if (this.#gathered.length === 1) afterTurn(() => this.#turn())
  }

  #turn(): void {
    const calls = this.#gathered
    this.#gathered = []
    const writes = calls.filter(({ op }) => isDataWrite(op))
    if (writes.length > 0) this.#answer(this.#commit(writes))
    const reads = calls.filter(({ op }) => !isDataWrite(op))
    if (reads.length > 0) this.#answer(reads.map((call) => this.#read(call)))
  }

  #answer(answers: readonly Answer[]): void {
    const isPlain = (answer: Answer): boolean => 'value' in answer && answer.value === undefined
    const done = answers.filter(isPlain).map(({ id }) => id)
    this.#post({ done, answers: answers.filter((answer) => !isPlain(answer)) })
  }

  #commit(writes: readonly ThreadCall[]): readonly Answer[] {
    const { file } = this.#data
    try {
      this.#data.open()
      this.#begin()
      const answers = this.#performAll(writes) ?? this.#performApart(writes)
      file.exec('COMMIT')
      // Not before it is on disk: what is sealed with a key that is lost could never be read.
      if (writes.some(({ op }) => op === 'rekey')) file.learnKeys()
      if (writes.some(isThorough)) this.#emptyLog()
      return answers
    } catch (error) {
      this.#records.rolledBack()
      const failure = errorInfo(storeError(error, file.path))
      // What the handle still holds of the transaction goes with it; nothing is tried again.
      file.drop()
      return writes.map(({ id }) => ({ id, error: failure }))
    }
  }

  #begin(): void {
    this.#data.file.exec('BEGIN IMMEDIATE')
    this.#data.checkSealing()
  }

  /** All writes of the transaction, as if none would be refused; undefined when one was, and nothing was done then. */
  #performAll(writes: readonly ThreadCall[]): readonly Answer[] | undefined {
    try {
      return writes.map((call) => ({ id: call.id, value: this.#perform(call) }))
    } catch (error) {
      if (!isRequestFault(error)) throw error
      this.#data.file.exec('ROLLBACK')
      this.#records.rolledBack()
      return undefined
    }
  }

  /** The same with each write on its own: at every savepoint the index of words is written out, so it is left to transactions that need it. */
  #performApart(writes: readonly ThreadCall[]): readonly Answer[] {
    this.#begin()
    return writes.map((call) => this.#attempt(call))
  }

  /** What is gone from the file still stands in its log. A reader in another process can be in the way; then the next one takes it along. */
  #emptyLog(): void {
    try {
      this.#data.file.checkpoint()
    } catch {
      // The write itself is on disk; a disk that fails now is reported by the next one.
    }
  }

  /** One write of the transaction. Its own refusal takes back only what it did; a failure of the file is everyone's. */
  #attempt(call: ThreadCall): Answer {
    const { file } = this.#data
    file.exec('SAVEPOINT request')
    try {
      const value = this.#perform(call)
      file.exec('RELEASE request')
      return { id: call.id, value }
    } catch (error) {
      if (!isRequestFault(error)) throw error
      file.exec('ROLLBACK TO request; RELEASE request')
      this.#records.rolledBack()
      return { id: call.id, error: errorInfo(storeError(error, file.path)) }
    }
  }

  #read(call: ThreadCall): Answer {
    const { file } = this.#data
    try {
      if (call.op !== 'close') this.#data.open()
      return { id: call.id, value: this.#perform(call) }
    } catch (error) {
      if (!isRequestFault(error) && !isBusy(error)) file.drop()
      return { id: call.id, error: errorInfo(storeError(error, file.path)) }
    }
  }

  #perform({ op, args }: ThreadCall): unknown {
    // The type checker cannot see that an operation and its own arguments belong together.
    const operation = this.#operations[op as keyof DataOperations] as (...given: readonly unknown[]) => unknown
    return operation(...args)
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

/** The whole file as of one moment, journal included, in a new file. */
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
