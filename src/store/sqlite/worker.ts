import { parentPort, workerData } from 'node:worker_threads'
import type { Call, FileOptions } from './protocol.ts'
import { JournalThread } from './journal-thread.ts'

/** This file, whatever it is called after a build: the thread that owns the database runs it. */
export const workerUrl: URL = new URL(import.meta.url)

/** Marks a thread as ours: the file is imported for its address as well, in other people's threads too. */
export interface WorkerStart {
  readonly mandateStore: FileOptions
}

/** The caller's end of what a thread says and hears. */
interface ThreadPort {
  postMessage(message: unknown, transfer: []): void
  on(name: 'message', listener: (calls: readonly Call[]) => void): unknown
}

/** Opens the file and answers what comes over the port. */
export function serve({ mandateStore }: WorkerStart, port: ThreadPort): void {
  const thread = new JournalThread(mandateStore, (message) => port.postMessage(message, []))
  port.on('message', (calls) => {
    for (const call of calls) thread.take(call)
  })
}

const start = workerData as Partial<WorkerStart> | null
if (parentPort !== null && start?.mandateStore !== undefined) serve({ mandateStore: start.mandateStore }, parentPort)
