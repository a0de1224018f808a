// A worker in a process of its own, whose agent calls a tool again and again, each call of its model and of its tool a line in a file. Says `up` when it takes runs.
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AgentService } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import { dbosEngine } from '../../src/engine/index.ts'
import { scripted } from '../../src/model/index.ts'
import type { Model } from '../../src/model/index.ts'
import { openPostgres } from '../../src/store/postgres/index.ts'
import { defineTool } from '../../src/tool/index.ts'

export interface RatedOrder {
  readonly url: string
  readonly log: string
  readonly rates: NonNullable<NonNullable<AgentConfig['mandate']>['rates']>
}

const CALLS = 3
/** As many as both workers can take, and neither alone. */
export const RUNS = 16

export async function openRated({ url, log, rates }: RatedOrder, isWorker: boolean): Promise<AgentService> {
  const model: Model = {
    ...scripted(['']),
    async *stream({ messages }) {
      appendFileSync(log, `model ${process.pid}\n`)
      await wait(50)
      const call = messages.filter(({ role }) => role === 'assistant').length
      if (call < CALLS) yield { type: 'tool-call', toolCallId: `c${call}`, name: 'call', input: { call } }
      else yield { type: 'text-delta', id: 't', text: 'Done.' }
      yield { type: 'finish', reason: call < CALLS ? 'tool-calls' : 'stop' }
    },
  }
  const call = defineTool({
    name: 'call',
    risk: 'write',
    safeByDefault: true,
    async run(_, { identity }) {
      appendFileSync(log, `${identity.id} ${process.pid}\n`)
      await wait(20)
      return 'called'
    },
  })
  const store = await openPostgres({ url })
  const engine = dbosEngine(isWorker ? { url, role: 'worker', concurrency: RUNS / 2 } : { url })
  return new AgentService({ store, engine, agents: [{ id: 'caller', model, tools: [call], mandate: { rates } }] })
}

if (import.meta.main) {
  const service = await openRated(JSON.parse(process.argv[2]!) as RatedOrder, true)
  await service.start()
  process.stdout.write('up\n')
}
