import { afterTurn, errorInfo } from '../../core/index.ts'
import type { ThreadCall, ThreadPost } from './file-thread.ts'
import { isBusy, isRequestFault, storeError } from './store-errors.ts'

type ThreadAnswer = NonNullable<ThreadPost<never>['answers']>[number]

/** The operations of a file, as the group commit calls them. */
export interface CommitHost<C extends ThreadCall> {
  readonly file: { readonly path: string; exec(sql: string): void; drop(): void; checkPresence(): void }
  isWrite(call: C): boolean
  /** Whether an operation works without the file, and so must not fail if there is none. */
  isFileless(call: C): boolean
  open(): void
  perform(call: C): unknown
  /** A transaction has begun. */
  begun(): void
  committed(writes: readonly C[]): void
  rolledBack(): void
  /** One request of a transaction was rolled back. */
  requestRolledBack(): void
  /** After a failure of the file: reopens it and returns the ids of the writes that are on disk nevertheless. */
  readBack(writes: readonly C[]): ReadonlySet<number>
  /** Called at the end of a turn. */
  afterTurn(): void
}

/**
 * The loop of the thread that owns a file. While one turn waits for the disk, calls queue up; the next turn takes them all, so that many writes share
 * one transaction and one sync. Writes are executed first, so reads include their result.
 */
export class GroupCommit<C extends ThreadCall> {
  readonly #host: CommitHost<C>
  readonly #post: (message: ThreadPost<never>) => void
  #gathered: C[] = []

  constructor(host: CommitHost<C>, post: (message: ThreadPost<never>) => void) {
    this.#host = host
    this.#post = post
  }

  take(call: C): void {
    this.#gathered.push(call)
    if (this.#gathered.length === 1) afterTurn(() => this.#turn())
  }

  #turn(): void {
    const calls = this.#gathered
    this.#gathered = []
    const writes = calls.filter((call) => this.#host.isWrite(call))
    if (writes.length > 0) this.#answer(this.#commit(writes))
    const reads = calls.filter((call) => !this.#host.isWrite(call))
    if (reads.length > 0) this.#answer(reads.map((call) => this.#read(call)))
    this.#host.afterTurn()
  }

  /** Most answers have no value, so only their ids are sent. */
  #answer(answers: readonly ThreadAnswer[]): void {
    const isPlain = (answer: ThreadAnswer): boolean => 'value' in answer && answer.value === undefined
    const done = answers.filter(isPlain).map(({ id }) => id)
    this.#post({ done, answers: answers.filter((answer) => !isPlain(answer)) })
  }

  #commit(writes: readonly C[]): readonly ThreadAnswer[] {
    const answers: ThreadAnswer[] = []
    try {
      this.#host.open()
      this.#begin()
      answers.push(...(this.#performAll(writes) ?? []))
      if (answers.length === 0) this.#performApart(writes, answers)
      this.#host.file.exec('COMMIT')
      // Not acknowledged if the file has vanished in the meantime.
      this.#host.file.checkPresence()
    } catch (error) {
      return this.#recover(writes, answers, error)
    }
    this.#host.committed(writes)
    return answers
  }

  #begin(): void {
    this.#host.file.exec('BEGIN IMMEDIATE')
    this.#host.begun()
  }

  /** All writes of the transaction without savepoints; `undefined` if one was refused, and then nothing was done. */
  #performAll(writes: readonly C[]): readonly ThreadAnswer[] | undefined {
    try {
      return writes.map((call) => ({ id: call.id, value: this.#host.perform(call) }))
    } catch (error) {
      if (!isRequestFault(error)) throw error
      this.#host.file.exec('ROLLBACK')
      this.#host.rolledBack()
      return undefined
    }
  }

  /** The same with a savepoint for each write. A savepoint copies every page that writes share, so it is used only for transactions that need it. */
  #performApart(writes: readonly C[], answers: ThreadAnswer[]): void {
    this.#begin()
    for (const call of writes) answers.push(this.#attempt(call))
  }

  /** One write of the transaction. A refusal rolls back only that write; a failure of the file fails all of them. */
  #attempt(call: C): ThreadAnswer {
    const { file } = this.#host
    file.exec('SAVEPOINT request')
    try {
      const value = this.#host.perform(call)
      file.exec('RELEASE request')
      return { id: call.id, value }
    } catch (error) {
      if (!isRequestFault(error)) throw error
      file.exec('ROLLBACK TO request; RELEASE request')
      this.#host.requestRolledBack()
      return { id: call.id, error: errorInfo(storeError(error, file.path)) }
    }
  }

  /** After a failure of the file: writes that are on disk count, all others are reported as failed. Nothing is retried. */
  #recover(writes: readonly C[], answers: readonly ThreadAnswer[], cause: unknown): readonly ThreadAnswer[] {
    const failure = errorInfo(storeError(cause, this.#host.file.path))
    this.#host.rolledBack()
    const refused = new Map(answers.map((answer) => [answer.id, answer]))
    const found = this.#host.readBack(writes)
    return writes.map(({ id }) => {
      const answer = refused.get(id)
      if (answer !== undefined && 'error' in answer) return answer
      return found.has(id) ? { id, value: undefined } : { id, error: failure }
    })
  }

  #read(call: C): ThreadAnswer {
    try {
      if (!this.#host.isFileless(call)) this.#host.open()
      return { id: call.id, value: this.#host.perform(call) }
    } catch (error) {
      if (!isRequestFault(error) && !isBusy(error)) this.#host.file.drop()
      return { id: call.id, error: errorInfo(storeError(error, this.#host.file.path)) }
    }
  }
}
