import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadCall } from '../file-thread.ts'
import { DataThread } from './data-thread.ts'
import type { DataOptions } from './protocol.ts'

/** This file, whatever it is called after a build: the thread that owns the data runs it. */
export const dataWorkerUrl: URL = new URL(import.meta.url)

/** Marks a thread as ours: the file is imported for its address as well, in other people's threads too. */
export interface DataWorkerStart {
  readonly mandateData: DataOptions
}

/** Opens the file and answers what comes over the port. */
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
