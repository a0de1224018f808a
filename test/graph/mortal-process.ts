import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { AgentService } from 'mandate'
import type { Journal } from 'mandate/journal'
import { registerGraph, resumeGraph, runGraph } from 'mandate/graph'
import { sqliteJournal } from 'mandate/sqlite'
import { ANSWERS, orderTools, orders } from './orders.ts'
import type { World } from './orders.ts'

/** What one process is told: its store, the file that stands for the world, and with which entry it dies. */
export interface MortalTask {
  readonly path: string
  readonly world: string
  readonly dieAt?: number | undefined
}

const task = JSON.parse(process.argv[2]!) as MortalTask

/** A line for each call that really happened. */
class FileWorld implements World {
  happened(key: string): boolean {
    return existsSync(task.world) && readFileSync(task.world, 'utf8').includes(`${key} `)
  }

  happen(key: string, what: string): void {
    appendFileSync(task.world, `${key} ${what}\n`)
  }
}

/** Kills this process as soon as the store has so many entries. */
function deadly(journal: Journal, dieAt: number): Journal {
  let count = 0
  const append = async (...args: Parameters<Journal['append']>): Promise<void> => {
    count += args[2].length
    await journal.append(...args)
    if (count >= dieAt) process.kill(process.pid, 'SIGKILL')
  }
  return new Proxy(journal, {
    get(target, name) {
      const member: unknown = name === 'append' ? append : Reflect.get(target, name)
      return typeof member === 'function' ? (member as (...args: unknown[]) => unknown).bind(target) : member
    },
  })
}

const store = sqliteJournal({ path: task.path, watchIntervalMs: 5 })
const journal = task.dieAt === undefined ? store : deadly(store, task.dieAt)
const service = new AgentService({ journal, tools: orderTools(new FileWorld()) })
registerGraph(service, orders())
const isThere = (await store.summary('r')) !== undefined
let run = isThere ? resumeGraph(service, 'r') : runGraph(service, 'orders', { order: 'o1' }, { runId: 'r' })
let outcome = await run.outcome
while (outcome.state === 'suspended') {
  for (const { id, text } of await service.approvals('r')) await service.answer(id, ANSWERS[text]!)
  run = resumeGraph(service, 'r')
  outcome = await run.outcome
}
const replayed = await service.replay('r')
const entries = (await service.runs()).reduce((sum, { head }) => sum + head.seq, 0)
await service.stop()
await store.close()
process.stdout.write(
  JSON.stringify({ state: outcome.state, output: outcome.output, identical: replayed.identical, entries }),
)
