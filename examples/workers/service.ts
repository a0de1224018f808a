// What the workers and the client share: the agent, and the database that holds its runs.
import { appendFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { AgentService, defineTool } from 'mandate'
import { dbosEngine } from 'mandate/engine'
import { scripted } from 'mandate/model'
import { openPostgres } from 'mandate/postgres'

export const STEPS = 5

/** Each call is a line in a file that all processes share, so that a call which is made twice is seen there. */
const pack = defineTool({
  name: 'pack_item',
  description: 'Packs one item of an order.',
  inputSchema: { type: 'object', properties: { item: { type: 'number' } }, required: ['item'] },
  risk: 'write',
  safeByDefault: true,
  // The key makes a repeated call harmless, as at any good API: a worker that dies in the middle is no reason to ask a person.
  idempotent: true,
  async run({ item }: { item: number }, { runId, idempotencyKey }) {
    await wait(100)
    appendFileSync(process.env['PACKED']!, `${runId} ${idempotencyKey} ${process.pid}\n`)
    return `item ${item} is packed`
  },
})

/** Not idempotent: nobody makes this call a second time. Should a worker die in the middle of it, a person says what became of it. */
const ship = defineTool({
  name: 'ship',
  description: 'Hands the order to the carrier.',
  risk: 'write',
  safeByDefault: true,
  async run(_, { runId }) {
    appendFileSync(process.env['SHIPPED']!, `${runId} ${process.pid}\n`)
    await wait(500)
    return 'shipped'
  },
})

const script = [
  { toolCalls: [{ name: 'ship', input: {} }] },
  ...Array.from({ length: STEPS }, (_, item) => ({ toolCalls: [{ name: 'pack_item', input: { item } }] })),
]

export async function openService(url: string, role: 'client' | 'worker'): Promise<AgentService> {
  const store = await openPostgres({ url })
  return new AgentService({
    store,
    engine: dbosEngine({ url, role, concurrency: 10 }),
    agents: [{ id: 'packer', model: scripted([...script, 'Everything is packed.']), tools: [pack, ship] }],
  })
}
