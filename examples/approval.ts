// A destructive call suspends the run. Its journal is all that is left of it: another host answers, and exactly that call is made.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentService, defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { scripted } from 'mandate/model'
import { openStore } from 'mandate/sqlite'

const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back.',
  inputSchema: {
    type: 'object',
    properties: { order: { type: 'string' }, euros: { type: 'number' } },
    required: ['order', 'euros'],
  },
  risk: 'destructive',
  run: ({ order, euros }: { order: string; euros: number }) => `refunded ${euros} euros for ${order}`,
})

const support: AgentConfig = {
  id: 'support',
  model: scripted([
    { text: 'I refund it.', toolCalls: [{ name: 'refund', input: { order: 'A-17', euros: 100 } }] },
    'It is refunded.',
  ]),
  tools: [refund],
}

const dir = mkdtempSync(join(tmpdir(), 'mandate-'))

async function host(): Promise<AgentService> {
  const { journal } = await openStore({ dir })
  return new AgentService({ store: { journal, close: () => journal.close() }, agents: [support] })
}

const monday = await host()
const waiting = await monday.run('support', 'Refund order A-17.')
const [call] = waiting.pending
console.log(waiting.status, waiting.suspendReason, call?.approvalId)
console.log(`${call?.name} ${JSON.stringify(call?.input)} (${call?.text})`)
await monday.stop()

const friday = await host()
const [request] = await friday.approvals()
await friday.approve(request!.id, { edit: { order: 'A-17', euros: 20 }, hash: request!.hash })
const result = await friday.resume(waiting.id)
console.log(result.status, result.actions[0]?.output)
await friday.stop()
