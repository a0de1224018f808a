import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { AgentService } from '../../src/agent/index.ts'
import type { Journal } from '../../src/journal/index.ts'
import { ReplSession } from '../../src/repl/public.ts'
import { sqliteJournal } from '../../src/store/sqlite/index.ts'

/** What one process is told: its store, the file that stands for the world, and with which entry it dies. */
export interface MortalTask {
  readonly path: string
  readonly world: string
  readonly dieAt?: number | undefined
}

const task = JSON.parse(process.argv[2]!) as MortalTask

/** Kills this process as soon as it has stored so many entries. */
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

/** The cells of the session. Shared structure, a closure, a failure, and calls at once. */
const CELLS = [
  'const log = []; const shared = { n: 0 }; const a = { shared }, b = [shared]; const up = (by) => { shared.n += by; log.push(by) }',
  'const first = await tools.order({ id: "x1" }); up(first.price)',
  'const both = await Promise.all([tools.order({ id: "x2" }), tools.order({ id: "x3" })]); for (const o of both) up(o.price); a.shared === b[0]',
  'up(1); print(log.join(",")); throw new Error("too bad")',
  'const last = await tools.order({ id: "x4" }); up(last.price); ({ n: a.shared.n, same: b[0] === shared, log })',
]

const told = (id: string): boolean => existsSync(task.world) && readFileSync(task.world, 'utf8').includes(`${id}\n`)

const order = {
  name: 'order',
  inputSchema: { type: 'object' },
  risk: 'write',
  run: ({ id }: { id: string }) => {
    appendFileSync(task.world, `${id}\n`)
    return { id, price: 10 }
  },
  // The world knows whether it happened.
  reconcile: async ({ id }: { id: string }) =>
    told(id) ? { status: 'done', value: { id, price: 10 } } : { status: 'not-done' },
}

const store = sqliteJournal({ path: task.path, watchIntervalMs: 5 })
const journal = task.dieAt === undefined ? store : deadly(store, task.dieAt)
const service = new AgentService({ journal })
const session = await ReplSession.open(service, { sessionId: 's', tools: [order] as never })
let last = session.isWaiting ? await session.resume() : undefined
const done = (await session.cells()).length
for (const source of CELLS.slice(done)) last = await session.evalCell(source)
let identical = true
let entries = 0
for (const { run, head } of await service.runs()) {
  entries += head.seq
  identical &&= (await service.replay(run)).identical && (await service.verify(run)).ok
}
const value = last?.value ?? (await session.evalCell('({ n: a.shared.n, same: b[0] === shared, log })')).value
await service.stop()
await store.close()
process.stdout.write(JSON.stringify({ value, identical, entries }))
