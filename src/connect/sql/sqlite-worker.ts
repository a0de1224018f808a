import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { errorInfo, startedFile, systemClock } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'
import type { SqlLimits, SqlStatement } from './database.ts'
import { SqliteHandle } from './sqlite-handle.ts'
import type { SqliteHandleOptions } from './sqlite-handle.ts'

/** The URL of this file: the process that holds the database executes it. */
export const childUrl = (): URL => startedFile(import.meta.url, 'connect/sql/sqlite-worker')
/** Marks a process of this package: the file is also imported for its URL. */
export const CHILD_MARK = 'mandate-sqlite-child'

const WATCH_MS = 50

/** The first message to the process. */
export interface ChildStart {
  readonly options: SqliteHandleOptions
  /** The resident memory at which the process ends itself. */
  readonly maxMemoryBytes: number
}

export interface ChildCall {
  readonly id: number
  readonly op: 'query' | 'execute' | 'tables'
  readonly statement?: SqlStatement | undefined
  readonly limits: SqlLimits
}

export type ChildAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorInfo }

interface Watched {
  readonly mandateSqlParent: number
  readonly maxMemoryBytes: number
}

/**
 * Serves statements in this process: SQLite cannot be interrupted from JavaScript, and its memory cannot be limited, so it runs in a process that can
 * be killed.
 */
function serve(): void {
  let handle: SqliteHandle | undefined
  process.on('message', (message: ChildStart | ChildCall) => {
    if ('options' in message) {
      handle = new SqliteHandle(message.options)
      watchSelf(message.maxMemoryBytes)
      return
    }
    let answer: ChildAnswer
    try {
      answer = { id: message.id, value: perform(handle!, message) }
    } catch (error) {
      answer = { id: message.id, error: errorInfo(error) }
    }
    process.send?.(answer)
  })
  process.on('disconnect', () => process.exit(0))
}

function perform(handle: SqliteHandle, { op, statement, limits }: ChildCall): unknown {
  if (op === 'tables') return handle.tables()
  return op === 'query' ? handle.query(statement!, limits) : handle.execute(statement!, limits)
}

/** Watches memory on a thread of its own, because the main one is blocked while a statement runs. */
function watchSelf(maxMemoryBytes: number): void {
  const watched: Watched = { mandateSqlParent: process.ppid, maxMemoryBytes }
  new Worker(childUrl(), { workerData: watched, execArgv: [] }).unref()
}

function watch({ mandateSqlParent, maxMemoryBytes }: Watched): void {
  const isOver = process.memoryUsage.rss() > maxMemoryBytes || process.ppid !== mandateSqlParent
  if (isOver) process.kill(process.pid, 'SIGKILL')
  systemClock.timer(WATCH_MS, () => watch({ mandateSqlParent, maxMemoryBytes }))
}

if (isMainThread) {
  if (process.argv[2] === CHILD_MARK && process.send !== undefined) serve()
} else {
  const watched = workerData as Partial<Watched> | null
  if (watched?.mandateSqlParent !== undefined) watch(watched as Watched)
}
