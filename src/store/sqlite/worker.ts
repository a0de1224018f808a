import { parentPort, workerData } from 'node:worker_threads'
import { startedFile } from '../../core/index.ts'
import type { Call, FileOptions } from './protocol.ts'
import { JournalThread } from './journal-thread.ts'

/** The URL of this file: the thread that owns the database executes it. */
export const workerUrl = (): URL => startedFile(import.meta.url, 'store/sqlite/worker')

/** Marks a thread of this package: the file is also imported for its URL, which may happen in other threads. */
export interface WorkerStart {
  readonly mandateStore: FileOptions
}

/** The port to the caller. */
interface ThreadPort {
  postMessage(message: unknown, transfer: []): void
  on(name: 'message', listener: (calls: readonly Call[]) => void): unknown
}

/** Opens the file and answers calls from the port. */
export function serve({ mandateStore }: WorkerStart, port: ThreadPort): void {
  const thread = new JournalThread(mandateStore, (message) => port.postMessage(message, []))
  port.on('message', (calls) => {
    for (const call of calls) thread.take(call)
  })
}

const start = workerData as Partial<WorkerStart> | null
if (parentPort !== null && start?.mandateStore !== undefined) serve({ mandateStore: start.mandateStore }, parentPort)
