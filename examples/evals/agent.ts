import { defineTool } from 'mandate'
import type { AgentConfig } from 'mandate'
import { scripted } from 'mandate/model'

const refunds = defineTool({
  name: 'find_order',
  description: 'Finds an order by its number.',
  risk: 'read',
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  run: ({ order }: { order: string }) => {
    if (order === '404') throw new Error('There is no order 404.')
    return { order, total: 40, delivered: order === '17' }
  },
})

/** Stands for a real model, so that the example needs no key: put `openai('gpt-5')` here. */
const model = scripted((request) => {
  const last = JSON.stringify(request.messages.at(-1))
  if (!last.includes('"role":"tool"'))
    return { toolCalls: [{ name: 'find_order', input: { order: /order (\d+)/.exec(last)?.[1] ?? '0' } }] }
  if (last.includes('There is no order')) return 'I cannot find that order.'
  return last.includes('"delivered":true') ? 'It was delivered, so I cannot refund it.' : 'I will refund 40 euros.'
})

const agent: AgentConfig = { id: 'refunds', instructions: 'You decide about refunds.', model, tools: [refunds] }

export default agent
