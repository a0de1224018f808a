import { ChangeFeed } from './change-feed.ts'
import { GroupCommit } from './group-commit.ts'
import type { CommitHost } from './group-commit.ts'
import { isWrite } from './protocol.ts'
import type { Call, FileOptions, OperationName, Post } from './protocol.ts'
import { KnownHeads } from './rows/known-heads.ts'
import { SqliteFile } from './sqlite-file.ts'
import { StoreOperations } from './store-operations.ts'

const FILELESS: ReadonlySet<OperationName> = new Set(['stats', 'watch', 'close'])

/** The thread that owns the file of a journal: its operations, its statistics and its change feed. */
export class JournalThread implements CommitHost<Call> {
  readonly file: SqliteFile
  readonly #heads: KnownHeads
  readonly #changes: ChangeFeed
  readonly #operations: StoreOperations
  readonly #commits: GroupCommit<Call>
  #commitCount = 0
  #writeCount = 0

  constructor(options: FileOptions, post: (message: Post) => void) {
    this.file = new SqliteFile(options)
    this.#heads = new KnownHeads(options.path)
    this.#changes = new ChangeFeed(this.file, options.watchIntervalMs, (changes) => post({ changes }))
    this.#operations = new StoreOperations(this.file, this.#heads)
    this.#commits = new GroupCommit<Call>(this, post)
  }

  take(call: Call): void {
    this.#commits.take(call)
  }

  isWrite(call: Call): boolean {
    return isWrite(call)
  }

  isFileless({ op }: Call): boolean {
    return FILELESS.has(op)
  }

  open(): void {
    this.#operations.open()
  }

  begun(): void {
    this.#operations.begun()
  }

  committed(writes: readonly Call[]): void {
    this.#commitCount += 1
    this.#writeCount += writes.length
    this.#operations.committed()
  }

  rolledBack(): void {
    this.#operations.rolledBack()
  }

  requestRolledBack(): void {}

  /** A stored append counts once a checkpoint has moved it into the database with a sync of its own. */
  readBack(writes: readonly Call[]): ReadonlySet<number> {
    this.file.drop()
    try {
      this.#operations.open()
      const found = writes.filter(
        (call) => call.op === 'append' && this.#operations.holds(call.args[0].run, call.args[2]),
      )
      if (found.length === 0 || !this.file.checkpoint()) return new Set()
      for (const call of found) this.#operations.remember((call as Call<'append'>).args[0].run)
      return new Set(found.map((call) => call.id))
    } catch {
      this.file.drop()
      return new Set()
    }
  }

  afterTurn(): void {
    this.#changes.look()
  }

  perform(call: Call): unknown {
    switch (call.op) {
      case 'stats':
        return { commits: this.#commitCount, writes: this.#writeCount }
      case 'watch':
        return call.args[0] ? this.#changes.start() : this.#changes.stop()
      case 'close':
        return this.#close()
      default:
        // The type checker cannot infer that an operation and its arguments match.
        return (this.#operations[call.op] as (...args: readonly unknown[]) => unknown).apply(
          this.#operations,
          call.args,
        )
    }
  }

  #close(): void {
    this.#changes.stop()
    this.#heads.flush()
    this.#operations.emptyLog()
    this.file.drop()
  }
}
