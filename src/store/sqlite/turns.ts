import { afterTurn, errorInfo } from '../../core/index.ts'
import { KnownHeads } from './rows/known-heads.ts'
import { News } from './change-feed.ts'
import { isWrite } from './protocol.ts'
import type { Answer, Call, FileOptions, OperationName, Post } from './protocol.ts'
import { SqliteFile } from './sqlite-file.ts'
import { isBusy, isRequestFault, storeError } from './store-errors.ts'
import { StoreOperations } from './store-operations.ts'

/** What needs no file, and so must not fail where there is none. */
const WITHOUT_FILE: ReadonlySet<OperationName> = new Set(['stats', 'watch', 'close'])

/**
 * The life of the thread that owns the file, in turns. While one turn waits for the disk, calls gather; the next takes them all,
 * so that the writes of many runs share one transaction and one sync. Writes go first, reads see their result.
 */
export class Turns {
  readonly #file: SqliteFile
  readonly #heads: KnownHeads
  readonly #news: News
  readonly #operations: StoreOperations
  readonly #post: (message: Post) => void
  #gathered: Call[] = []
  #commits = 0
  #writes = 0

  constructor(options: FileOptions, post: (message: Post) => void) {
    this.#file = new SqliteFile(options)
    this.#heads = new KnownHeads(options.path)
    this.#news = new News(this.#file, options.watchIntervalMs, (changes) => post({ changes }))
    this.#operations = new StoreOperations(this.#file, this.#heads)
    this.#post = post
  }

  take(call: Call): void {
    this.#gathered.push(call)
    if (this.#gathered.length === 1) afterTurn(() => this.#turn())
  }

  #turn(): void {
    const calls = this.#gathered
    this.#gathered = []
    const writes = calls.filter(isWrite)
    if (writes.length > 0) this.#post({ answers: this.#commit(writes) })
    const reads = calls.filter((call) => !isWrite(call))
    if (reads.length > 0) this.#post({ answers: reads.map((call) => this.#read(call)) })
    this.#news.look()
  }

  #commit(writes: readonly Call[]): Answer[] {
    let answers: Answer[] = []
    try {
      this.#operations.open()
      this.#begin()
      answers = this.#performAll(writes) ?? this.#performApart(writes, answers)
      this.#file.exec('COMMIT')
      this.#commits += 1
      this.#writes += writes.length
    } catch (error) {
      return this.#recover(writes, answers, error)
    }
    this.#operations.committed()
    return answers
  }

  #begin(): void {
    this.#file.exec('BEGIN IMMEDIATE')
    this.#operations.begun()
  }

  /** All writes of the transaction, as if none would be refused; undefined when one was, and nothing was done then. */
  #performAll(writes: readonly Call[]): Answer[] | undefined {
    try {
      return writes.map((call) => ({ id: call.id, value: this.#perform(call) }))
    } catch (error) {
      if (!isRequestFault(error)) throw error
      this.#file.exec('ROLLBACK')
      this.#operations.rolledBack()
      return undefined
    }
  }

  /** The same with each write on its own: that costs a copy of every page they share, so it is left to transactions that need it. */
  #performApart(writes: readonly Call[], answers: Answer[]): Answer[] {
    this.#begin()
    for (const call of writes) answers.push(this.#attempt(call))
    return answers
  }

  /** One write of the transaction. Its own refusal takes back only what it did; a failure of the file is everyone's. */
  #attempt(call: Call): Answer {
    this.#file.exec('SAVEPOINT request')
    try {
      const value = this.#perform(call)
      this.#file.exec('RELEASE request')
      return { id: call.id, value }
    } catch (error) {
      if (!isRequestFault(error)) throw error
      this.#file.exec('ROLLBACK TO request; RELEASE request')
      return { id: call.id, error: errorInfo(storeError(error, this.#file.path)) }
    }
  }

  /**
   * After a failure of the file: throw the handle away, open another, and read back what is there. An append that is there counts,
   * once a checkpoint has put it into the database with a sync of its own; everything else is reported as failed. Nothing is tried again.
   */
  #recover(writes: readonly Call[], answers: readonly Answer[], cause: unknown): Answer[] {
    const failure = errorInfo(storeError(cause, this.#file.path))
    this.#operations.rolledBack()
    const refused = new Map(answers.map((answer) => [answer.id, answer]))
    const found = this.#readBack(writes)
    return writes.map((call) => {
      const answer = refused.get(call.id)
      if (answer !== undefined && 'error' in answer) return answer
      return found.has(call.id) ? { id: call.id, value: undefined } : { id: call.id, error: failure }
    })
  }

  #readBack(writes: readonly Call[]): Set<number> {
    this.#file.drop()
    try {
      this.#operations.open()
      const found = writes.filter(
        (call) => call.op === 'append' && this.#operations.holds(call.args[0].run, call.args[2]),
      )
      if (found.length === 0 || !this.#file.checkpoint()) return new Set()
      for (const call of found) this.#operations.remember((call as Call<'append'>).args[0].run)
      return new Set(found.map((call) => call.id))
    } catch {
      this.#file.drop()
      return new Set()
    }
  }

  #read(call: Call): Answer {
    try {
      if (!WITHOUT_FILE.has(call.op)) this.#operations.open()
      return { id: call.id, value: this.#perform(call) }
    } catch (error) {
      if (!isRequestFault(error) && !isBusy(error)) this.#file.drop()
      return { id: call.id, error: errorInfo(storeError(error, this.#file.path)) }
    }
  }

  #perform(call: Call): unknown {
    switch (call.op) {
      case 'stats':
        return { commits: this.#commits, writes: this.#writes }
      case 'watch':
        return call.args[0] ? this.#news.start() : this.#news.stop()
      case 'close':
        return this.#close()
      default:
        // The type checker cannot see that an operation and its own arguments belong together.
        return (this.#operations[call.op] as (...args: readonly unknown[]) => unknown).apply(
          this.#operations,
          call.args,
        )
    }
  }

  #close(): void {
    this.#news.stop()
    this.#heads.flush()
    this.#operations.emptyLog()
    this.#file.drop()
  }
}
