import { expect, test } from 'vitest'
import { Worker } from './kept-threads.ts'

/** Answers with what it was started with and its thread, and ends the thread when it is told so. */
const SERVER = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { threadId } from 'node:worker_threads'
    export function serve(start, port) {
      port.on('message', (word) => (word === 'die' ? process.exit(3) : port.postMessage([start, threadId])))
    }`)}`,
)

function ask(worker: Worker): Promise<unknown> {
  return new Promise((resolve) => {
    worker.on('message', resolve)
    worker.postMessage('who', [])
  })
}

test('a thread that was left serves the next one, with what that one was started with', async () => {
  const first = new Worker(SERVER, { workerData: 'a' })
  const beside = new Worker(SERVER, { workerData: 'b' })
  const [[a, thread], [b, other]] = (await Promise.all([ask(first), ask(beside)])) as [unknown[], unknown[]]
  expect([a, b]).toEqual(['a', 'b'])
  expect(thread).not.toBe(other)
  await first.terminate()
  const next = new Worker(SERVER, { workerData: 'c' })
  expect(await ask(next)).toEqual(['c', thread])
  await next.terminate()
  await beside.terminate()
})

test('a thread that ended says so, and serves no other', async () => {
  const worker = new Worker(SERVER, { workerData: 'a' })
  const [, thread] = (await ask(worker)) as [string, number]
  const exit = new Promise((resolve) => worker.on('exit', resolve))
  worker.postMessage('die', [])
  expect(await exit).toBe(3)
  await worker.terminate()
  const next = new Worker(SERVER, { workerData: 'b' })
  expect(await ask(next)).toEqual(['b', expect.any(Number)])
  expect(((await ask(next)) as unknown[])[1]).not.toBe(thread)
  await next.terminate()
})
