import { Agent, AgentService, defineTool } from 'mandate'
import type { AgentRun } from 'mandate'
import type { Model } from 'mandate/model'
import { openStore } from 'mandate/sqlite'
import { z } from 'zod'
import type { Outcome, Shop, Show, Support } from './support.ts'

const Answer = z.object({ decision: z.enum(['refunded', 'refused']), amount: z.number(), reason: z.string() })

export async function openSupport(model: Model | string, shop: Shop, folder: string): Promise<Support> {
  const findOrder = defineTool({
    name: 'find_order',
    description: 'Finds an order.',
    inputSchema: z.object({ id: z.string() }),
    risk: 'read',
    run: ({ id }) => shop.order(id),
  })
  const refund = defineTool({
    name: 'refund',
    description: 'Pays an order back.',
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    risk: 'write',
    needsApproval: ({ amount }) => amount > 50,
    run: ({ order, amount }) => shop.refund(order, amount),
  })
  const readRules = defineTool({
    name: 'read_rules',
    description: 'Reads the rules of the shop.',
    inputSchema: z.object({ topic: z.string() }),
    risk: 'read',
    run: ({ topic }) => shop.rules(topic),
  })

  const service = new AgentService({
    store: await openStore({ dir: folder }),
    agents: [
      {
        id: 'ask_expert',
        description: 'Knows the rules.',
        model,
        instructions: 'Quote the rules.',
        tools: [readRules],
      },
    ],
  })
  const agent = new Agent(
    {
      id: 'support',
      model,
      instructions: 'Decide about refunds. Ask the expert first.',
      tools: [findOrder, refund],
      agents: ['ask_expert'],
      output: Answer,
      budget: { money: 0.5 },
    },
    service,
  )

  async function finish(run: AgentRun<z.infer<typeof Answer>>, show: Show): Promise<Outcome> {
    for await (const part of run.partialOutputStream) show(part)
    const { result, pending, error } = await run
    const [call] = pending
    if (call !== undefined) return { status: 'waiting', call: { tool: call.name ?? '', input: call.input } }
    if (result !== null) return { status: 'done', answer: result }
    if (error?.code === 'LIMIT_EXCEEDED') return { status: 'stopped' }
    throw new Error(error?.message)
  }

  return {
    ask: (runId, question, show) => finish(agent.createSession().run(question, { runId }), show),
    async decide(id, approved, show) {
      const [request] = await service.approvals(id)
      await (approved ? service.approve(request!.id) : service.reject(request!.id, 'A person refused.'))
      return finish(agent.resume(id), show)
    },
    resume: (id, show) => finish(agent.resume(id), show),
    close: async () => void (await service.stop()),
  }
}
