import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { AgentService, defineTool } from 'mandate'
import type { Journal } from 'mandate/journal'
import { scripted } from 'mandate/model'
import { plannedTeam } from 'mandate/team'
import { sqliteJournal } from 'mandate/sqlite'

/** What one process is told: its store, the file that stands for the world, and with which entry it dies. */
export interface MortalTask {
  readonly path: string
  readonly world: string
  readonly dieAt?: number | undefined
}

const task = JSON.parse(process.argv[2]!) as MortalTask

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
      const value: unknown = name === 'append' ? append : Reflect.get(target, name)
      return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value
    },
  })
}

const pay = defineTool({
  name: 'pay',
  risk: 'read',
  run: (input: { readonly to: string }) => {
    appendFileSync(task.world, `${input.to}\n`)
    return `paid ${input.to}`
  },
})

/** A worker that pays once for each task, and then says so. */
const worker = (id: string) => ({
  id,
  tools: [pay],
  model: scripted([{ toolCalls: [{ name: 'pay', input: { to: id } }] }, `${id} is paid.`], { name: id }),
})
const plan = {
  tasks: [
    { id: 'a', description: 'Pay a.', worker: 'ana' },
    { id: 'b', description: 'Pay b.', worker: 'bob' },
    { id: 'c', description: 'Pay c.', worker: 'cem', blockedBy: ['a', 'b'] },
  ],
}
const store = sqliteJournal({ path: task.path, watchIntervalMs: 5 })
const journal = task.dieAt === undefined ? store : deadly(store, task.dieAt)
const service = new AgentService({
  journal,
  agents: plannedTeam({
    id: 'desk',
    workers: ['ana', 'bob', 'cem'].map(worker),
    planner: { id: 'planner', model: scripted([JSON.stringify(plan)], { name: 'planner' }) },
    verifier: { id: 'checker', model: scripted(['{"approved":true,"reason":""}'], { name: 'checker' }) },
    synthesiser: { id: 'writer', model: scripted(['All are paid.'], { name: 'writer' }) },
    budget: { modelCalls: 11 },
  }),
})
const isThere = (await store.summary('r')) !== undefined
let result = await (isThere ? service.resume('r') : service.run('desk', 'Pay everyone.', { runId: 'r' }))
// Killed between the start of a payment and its end, a person has to say what became of it; the file says it here.
while (result.status === 'await_user') {
  const paid = existsSync(task.world) ? readFileSync(task.world, 'utf8').split('\n') : []
  for (const { id, input } of await service.approvals('r')) {
    const { to } = input as { readonly to: string }
    await (paid.includes(to) ? service.settle(id, 'happened', `paid ${to}`) : service.settle(id, 'not-happened'))
  }
  result = await service.resume('r')
}
const replayed = await service.replay('r')
const entries = (await service.runs()).reduce((sum, { head }) => sum + head.seq, 0)
await service.stop()
await store.close()
const { status, text, error } = result
process.stdout.write(JSON.stringify({ status, text, error, identical: replayed.identical, entries }))
