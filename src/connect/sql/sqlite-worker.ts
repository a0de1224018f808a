import { Worker, isMainThread, workerData } from 'node:worker_threads'
import { errorInfo, systemClock } from '../../core/index.ts'
import type { ErrorInfo } from '../../core/index.ts'
import type { SqlLimits, SqlStatement } from './database.ts'
import { SqliteHandle } from './sqlite-handle.ts'
import type { SqliteHandleOptions } from './sqlite-handle.ts'

/** This file, whatever it is called after a build: the process that holds the database runs it. */
export const childUrl: URL = new URL(import.meta.url)
/** Marks a process as ours: the file is imported for its address as well. */
export const CHILD_MARK = 'mandate-sqlite-child'

const WATCH_MS = 50

/** The first message to the process. */
export interface ChildStart {
  readonly options: SqliteHandleOptions
  /** Resident memory at which the process ends itself. */
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

/** SQLite cannot be interrupted from here, and its memory not be bounded; so a process of its own does the work, and is ended. */
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

/** On a thread of its own: while a statement runs, the main one sees nothing. */
function watchSelf(maxMemoryBytes: number): void {
  const watched: Watched = { mandateSqlParent: process.ppid, maxMemoryBytes }
  new Worker(childUrl, { workerData: watched, execArgv: [] }).unref()
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
