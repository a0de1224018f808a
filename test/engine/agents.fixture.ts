// A worker with one agent, whose tool some versions lack. Says `up` when it takes runs, and leaves on SIGTERM after it has handed over what it had.
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AgentService } from '../../src/agent/index.ts'
import { dbosEngine, restateEngine } from '../../src/engine/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Engine } from '../../src/run/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { defineTool } from '../../src/tool/index.ts'
import type { Tool } from '../../src/tool/index.ts'

export interface AgentsOrder {
  readonly url: string
  readonly log: string
  /** This version has no tool. */
  readonly isBare?: boolean
  /** The tool takes so long, and needs no approval. */
  readonly takesMs?: number
  readonly drainMs?: number
  readonly restate?: { readonly ingress: string; readonly admin: string } | undefined
}

/** A service of this version over the database: a worker, or one that only starts runs. */
export async function openAgents(order: AgentsOrder, isWorker: boolean): Promise<AgentService> {
  const tools = order.isBare === true ? [] : [toolOf(order)]
  const model = scripted([{ toolCalls: [{ name: 'asks', input: {} }] }, 'Done.'])
  const store = await openPostgres({ url: order.url })
  return new AgentService({ store, engine: engineOf(order, isWorker), agents: [{ id: 'asker', model, tools }] })
}

function toolOf({ log, takesMs }: AgentsOrder): Tool {
  return defineTool({
    name: 'asks',
    risk: 'write',
    ...(takesMs === undefined ? { needsApproval: true } : { safeByDefault: true }),
    async run() {
      appendFileSync(log, `begins ${process.pid}\n`)
      await wait(takesMs ?? 0)
      appendFileSync(log, `ends ${process.pid}\n`)
      return 'asked'
    },
  })
}

function engineOf({ url, drainMs, restate }: AgentsOrder, isWorker: boolean): Engine {
  const drain = drainMs === undefined ? {} : { drainMs }
  if (restate === undefined) return dbosEngine({ url, ...(isWorker ? { role: 'worker', ...drain } : {}) })
  const schema = new URL(url).searchParams.get('schema')!
  const shared = { store: url, schema, ingress: restate.ingress }
  return restateEngine(isWorker ? { ...shared, admin: restate.admin, worker: drain } : shared)
}

if (import.meta.main) {
  const service = await openAgents(JSON.parse(process.argv[2]!) as AgentsOrder, true)
  service.events.on('engine-fault', ({ runId, data }) => process.stderr.write(`${runId}: ${data.message}\n`))
  await service.start()
  process.stdout.write('up\n')
  process.once('SIGTERM', () => void service.stop().then(() => process.exit(0)))
}
