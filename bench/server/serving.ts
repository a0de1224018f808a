// The server of the benchmark, in a separate process controlled by its parent.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { AgentService, defineTool } from 'mandate'
import { scripted } from 'mandate/model'
import type { Model } from 'mandate/model'
import { httpServer } from 'mandate/server'
import { openStore } from 'mandate/sqlite'
import { momentWord } from './moment-word.ts'

const [dir = '', token = ''] = process.argv.slice(2)

/** Live runs start to emit text when all their clients have connected. */
let start = Promise.withResolvers<void>()

/** Creates a model that emits this many words, each after a pause; a word encodes the time at which it was emitted. */
function speaking(words: number, pauseMs: number, isGated: boolean): Model {
  return {
    ...scripted(['']),
    async *stream() {
      if (isGated) await start.promise
      for (let count = 0; count < words; count++) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        yield { type: 'text-delta', id: 't', text: `${momentWord(process.hrtime.bigint())} ` }
      }
      yield { type: 'finish', reason: 'stop' }
    },
  }
}

const ask = defineTool({ name: 'erase', risk: 'write', needsApproval: true, run: () => 'erased' })
const service = new AgentService({
  store: await openStore({ dir }),
  agents: [
    { id: 'live', model: speaking(40, 500, true) },
    { id: 'single', model: speaking(300, 10, false) },
    { id: 'idle', model: scripted([{ toolCalls: [{ name: 'erase' }] }]), tools: [ask] },
  ],
})
const limits = { streams: 20_000, connections: 20_000, requestsPerMinute: 10_000_000 }
const server = httpServer(service, { tokens: [{ token, identity: { id: 'ana', roles: ['owner'] } }], limits })
const { url } = await server.listen()
const delay = monitorEventLoopDelay({ resolution: 10 })
let peak = 0
setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 100).unref()

/** Waits until a run is stored, because clients can follow it only then. */
async function isStored(run: string): Promise<void> {
  while ((await service.journal.summary(run)) === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
}

interface Asked {
  readonly do: string
  readonly agent: string
  readonly count: number
}

process.on('message', (asked: Asked) => void answer(asked))

async function answer(asked: Asked): Promise<void> {
  if (asked.do === 'start') {
    start = Promise.withResolvers()
    const runs = Array.from({ length: asked.count }, () => service.run(asked.agent, 'Go.'))
    for (const run of runs) run.catch(() => {})
    if (asked.agent === 'idle') await Promise.all(runs)
    else await Promise.all(runs.map(({ id }) => isStored(id)))
    process.send!(runs.map(({ id }) => id))
  } else if (asked.do === 'go') {
    start.resolve()
    process.send!('gone')
  } else if (asked.do === 'reset') {
    globalThis.gc?.()
    delay.reset()
    delay.enable()
    peak = process.memoryUsage().rss
    process.send!({ rss: peak })
  } else if (asked.do === 'measure') {
    const { rss } = process.memoryUsage()
    process.send!({ rss, peak: Math.max(peak, rss), delayP99: delay.percentile(99) / 1e6 })
  } else process.exit(0)
}
process.on('disconnect', () => process.exit(0))
process.send!(url)
