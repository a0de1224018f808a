import { parentPort, workerData } from 'node:worker_threads'
import type { Call, FileOptions } from './protocol.ts'
import { JournalThread } from './journal-thread.ts'

/** This file, whatever it is called after a build: the thread that owns the database runs it. */
export const workerUrl: URL = new URL(import.meta.url)

/** Marks a thread as ours: the file is imported for its address as well, in other people's threads too. */
export interface WorkerStart {
  readonly mandateStore: FileOptions
}

const start = workerData as Partial<WorkerStart> | null
if (parentPort !== null && start?.mandateStore !== undefined) {
  const port = parentPort
  const thread = new JournalThread(start.mandateStore, (message) => port.postMessage(message, []))
  port.on('message', (calls: readonly Call[]) => {
    for (const call of calls) thread.take(call)
  })
}
