import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkNumbers, MandateError, systemClock, checkNeeded } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { SqlCall, SqlChange, SqlDatabase, SqlLimits, SqlRows, SqlStatement, SqlTable } from './database.ts'
import { abortable } from '../abortable-wait.ts'
import { tookTooLong } from './sql-errors.ts'
import { CHILD_MARK, childUrl } from './sqlite-worker.ts'
import type { ChildAnswer, ChildCall, ChildStart } from './sqlite-worker.ts'

export interface SqlOverSqliteOptions {
  /** The database file; it must exist. */
  readonly path: string
  /** The only tables that may be read or written; all by default. */
  readonly tables?: readonly string[] | undefined
  /** Whether `sql_execute` may change rows. No statement can change the schema. */
  readonly write?: boolean | undefined
  /** The number of concurrent statements, each in its own process; 2 by default. */
  readonly maxProcesses?: number | undefined
  /** The memory limit of such a process; 512 MiB by default. */
  readonly maxMemoryBytes?: number | undefined
}

const SQL_OVER_SQLITE_OPTIONS: FieldNames<SqlOverSqliteOptions> = {
  path: 'text',
  tables: 'texts',
  write: 'flag',
  maxProcesses: true,
  maxMemoryBytes: true,
}

/**
 * A SQLite file for the SQL tools. Statements run in a separate process, on a handle that SQLite opened read-only, and an authorizer checks every
 * table and function when a statement is compiled: nothing can be attached, loaded or set. A statement that takes too long is ended with its process.
 *
 * @example
 * ```ts
 * import { sqlTools, sqlOverSqlite } from 'mandate/connect'
 * const tools = sqlTools({ database: sqlOverSqlite({ path: 'shop.db', tables: ['orders', 'customers'] }) })
 * ```
 */
export function sqlOverSqlite(options: SqlOverSqliteOptions): SqlDatabase {
  checkNeeded(options, 'an option of `sqlOverSqlite`', SQL_OVER_SQLITE_OPTIONS)
  checkNumbers(options, 'an option of `sqlOverSqlite`', { maxProcesses: 'count+', maxMemoryBytes: 'count+' })
  const { path, tables, write = false, maxProcesses = 2, maxMemoryBytes = 512 * 1024 * 1024 } = options
  if (typeof path !== 'string' || path === '' || path === ':memory:' || path.includes('\0'))
    throw new MandateError('CONFIG_INVALID', '`path` must be the path of a database file.')
  const start: ChildStart = { options: { path: resolve(path), tables, write }, maxMemoryBytes }
  const processes = new Processes(start, maxProcesses)
  const query = (statement: SqlStatement, call: SqlCall): Promise<SqlRows> =>
    processes.call('query', statement, call) as Promise<SqlRows>
  const execute = (statement: SqlStatement, call: SqlCall): Promise<SqlChange> =>
    processes.call('execute', statement, call) as Promise<SqlChange>
  return {
    dialect: 'SQLite',
    placeholders: '?',
    query,
    ...(write ? { execute } : {}),
    tables: (call) => processes.call('tables', undefined, call) as Promise<readonly SqlTable[]>,
    close: () => processes.close(),
  }
}

/** The processes that hold the file: started on demand, reused, and ended with a statement that must be stopped. */
class Processes {
  readonly #start: ChildStart
  readonly #max: number
  readonly #children = new Set<ChildProcess>()
  readonly #idle: ChildProcess[] = []
  readonly #queue: ((child: ChildProcess) => void)[] = []
  #lastId = 0

  constructor(start: ChildStart, max: number) {
    this.#start = start
    this.#max = max
  }

  async call(op: ChildCall['op'], statement: SqlStatement | undefined, { limits, signal }: SqlCall): Promise<unknown> {
    signal.throwIfAborted()
    const child = await this.#turn(limits, signal)
    const id = ++this.#lastId
    const { promise, resolve: settle, reject } = Promise.withResolvers<unknown>()
    const end = (error: MandateError): void => {
      child.kill('SIGKILL')
      reject(error)
    }
    const onCut = (): void => end(new MandateError('CANCELLED', 'The query was cut.'))
    const onExit = (): void => reject(died(this.#start.maxMemoryBytes))
    const onAnswer = (answer: ChildAnswer): void => {
      if (answer.id !== id) return
      if ('error' in answer)
        reject(new MandateError(answer.error.code, answer.error.message, { info: answer.error.info }))
      else settle(answer.value)
    }
    const stopTimer = systemClock.timer(limits.timeoutMs, () => end(tookTooLong(limits.timeoutMs)))
    signal.addEventListener('abort', onCut, { once: true })
    child.on('message', onAnswer)
    child.once('exit', onExit)
    if (signal.aborted) onCut()
    child.send(
      { id, op, statement, limits } satisfies ChildCall,
      (error) => error && reject(died(this.#start.maxMemoryBytes)),
    )
    try {
      return await promise
    } finally {
      stopTimer()
      signal.removeEventListener('abort', onCut)
      child.off('message', onAnswer)
      child.off('exit', onExit)
      this.#give(child)
    }
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL')
  }

  /** Waits for a free process, as long as a statement may take. */
  #turn({ timeoutMs }: SqlLimits, signal: AbortSignal): Promise<ChildProcess> {
    return abortable(Promise.resolve(this.#take()), {
      signal,
      discard: (late) => this.#give(late),
      limit: { ms: timeoutMs, error: () => allBusy(timeoutMs, this.#max) },
    })
  }

  #take(): Promise<ChildProcess> | ChildProcess {
    const child = this.#idle.pop() ?? (this.#children.size < this.#max ? this.#fork() : undefined)
    if (child === undefined) return new Promise((take) => this.#queue.push(take))
    child.ref()
    child.channel?.ref()
    return child
  }

  #give(child: ChildProcess): void {
    const isUsable = child.exitCode === null && child.signalCode === null && !child.killed && child.connected
    if (!isUsable) this.#children.delete(child)
    const next = this.#queue.shift()
    if (next !== undefined) {
      next(isUsable ? child : this.#fork())
      return
    }
    if (!isUsable) return
    this.#idle.push(child)
    // Unreferenced: idle workers do not keep the process alive.
    child.unref()
    child.channel?.unref()
  }

  #fork(): ChildProcess {
    const child = fork(fileURLToPath(childUrl()), [CHILD_MARK], {
      // Inherits neither the flags nor the environment of the host.
      execArgv: [],
      env: childEnvironment(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#children.add(child)
    child.on('error', () => {})
    child.once('exit', () => {
      this.#children.delete(child)
      const at = this.#idle.indexOf(child)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    child.send(this.#start)
    return child
  }
}

/** When running from sources, the compile cache is shared, so that a process starts in half the time. */
function childEnvironment(): NodeJS.ProcessEnv {
  return childUrl().pathname.endsWith('.ts') ? { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') } : {}
}

function allBusy(timeoutMs: number, max: number): MandateError {
  return new MandateError(
    'TIMEOUT',
    `The query waited ${timeoutMs} ms for its turn: ${max} others were under way all the time. Try again later, or raise \`maxProcesses\`.`,
    { info: { retriable: true } },
  )
}

function died(maxMemoryBytes: number): MandateError {
  return new MandateError(
    'LIMIT_EXCEEDED',
    `The query was ended, because it needed more than ${maxMemoryBytes} bytes of memory or crashed the database engine. Ask for less at a time.`,
  )
}
