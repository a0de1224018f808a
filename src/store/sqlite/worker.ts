import { parentPort, workerData } from 'node:worker_threads'
import type { Answer, Call, FileOptions, Post } from './protocol.ts'
import { Turns } from './turns.ts'

/** This file, whatever it is called after a build: the thread that owns the database runs it. */
export const workerUrl: URL = new URL(import.meta.url)

/** Marks a thread as ours: the file is imported for its address as well, in other people's threads too. */
export interface WorkerStart {
  readonly mandateStore: FileOptions
}

const start = workerData as Partial<WorkerStart> | null
if (parentPort !== null && start?.mandateStore !== undefined) {
  const port = parentPort
  const turns = new Turns(start.mandateStore, (message) => port.postMessage(compact(message), []))
  port.on('message', (calls: readonly Call[]) => {
    for (const call of calls) turns.take(call)
  })
}

/** Most answers only say that it is done; of those the ids are enough. */
function compact({ answers = [], changes }: Post): Post {
  const isPlain = (answer: Answer): boolean => 'value' in answer && answer.value === undefined
  const done = answers.filter(isPlain).map(({ id }) => id)
  return { done, answers: answers.filter((answer) => !isPlain(answer)), changes }
}
