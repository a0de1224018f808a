import { defineTool } from 'mandate'
import { z } from 'zod'

/** Stands for your database. */
const orders = new Map([
  ['A-17', { item: 'espresso machine', paid: 80 }],
  ['A-18', { item: 'kettle', paid: 39 }],
])

export const findOrder = defineTool({
  name: 'find_order',
  description: 'Looks an order up by its number.',
  inputSchema: z.object({ order: z.string() }),
  risk: 'read',
  run: ({ order }) => orders.get(order) ?? 'There is no such order.',
})

export const refund = defineTool({
  name: 'refund',
  description: 'Pays an order back, in dollars.',
  inputSchema: z.object({ order: z.string(), amount: z.number().positive() }),
  risk: 'write',
  run: ({ order, amount }) => `refunded $${amount} of order ${order}`,
})
