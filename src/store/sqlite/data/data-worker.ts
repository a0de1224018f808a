import { parentPort, workerData } from 'node:worker_threads'
import { startedFile } from '../../../core/index.ts'
import type { ThreadCall } from '../file-thread.ts'
import { DataThread } from './data-thread.ts'
import type { DataOptions } from './protocol.ts'

/** The URL of this file: the thread that owns the data executes it. */
export const dataWorkerUrl = (): URL => startedFile(import.meta.url, 'store/sqlite/data/data-worker')

/** Marks a thread of this package: the file is also imported for its URL, which may happen in other threads. */
export interface DataWorkerStart {
  readonly mandateData: DataOptions
}

/** Opens the file and answers calls from the port. */
export function serve({ mandateData }: DataWorkerStart, port: DataPort): void {
  const thread = new DataThread(mandateData, (message) => port.postMessage(message, []))
  port.on('message', (calls) => {
    for (const call of calls) thread.take(call)
  })
}

interface DataPort {
  postMessage(message: unknown, transfer: []): void
  on(name: 'message', listener: (calls: readonly ThreadCall[]) => void): unknown
}

const start = workerData as Partial<DataWorkerStart> | null
if (parentPort !== null && start?.mandateData !== undefined) serve({ mandateData: start.mandateData }, parentPort)
