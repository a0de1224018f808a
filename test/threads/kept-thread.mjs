import { parentPort } from 'node:worker_threads'

/** The thread that `kept-threads.ts` keeps: it serves one file after another, each over a port of its own. */
parentPort.on('message', async ({ url, start, port }) => {
  const { serve } = await import(url)
  serve(start, port)
})
