import { defineService } from 'mandate'
import { model } from './src/model.ts'
import { findOrder, refund } from './src/tools.ts'

export default defineService({
  agents: [
    {
      id: 'support',
      description: 'Answers customers about their orders.',
      instructions: 'Help customers with their orders. Look an order up before you pay it back.',
      model,
      tools: [findOrder, refund],
      mandate: {
        // Any other tool is denied.
        allow: ['find_order', 'refund'],
        rules: [{ id: 'large-refund', when: 'tool == "refund" && input.amount > 50', then: 'ask' }],
        budget: { toolCalls: 10 },
      },
    },
  ],
})
