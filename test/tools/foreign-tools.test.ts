import { expect, test } from 'vitest'
import { Agent } from 'mandate'
import { scripted } from 'mandate/model'

const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }

/** An agent with one tool as OpenAI Agents has it, that wants to be asked about large amounts. */
function agentWith(amount: number): { agent: Agent; refunded: number[] } {
  const refunded: number[] = []
  const refund = {
    type: 'function',
    name: 'refund',
    description: 'Refunds an amount.',
    parameters,
    strict: true,
    needsApproval: async (_run: unknown, input: { amount: number }) => input.amount > 100,
    isEnabled: async () => true,
    invoke: async (_run: unknown, text: string) => {
      refunded.push((JSON.parse(text) as { amount: number }).amount)
      return 'refunded'
    },
  }
  const model = scripted([{ toolCalls: [{ name: 'refund', input: { amount } }] }, 'Done.'])
  return { agent: new Agent({ model, tools: [refund], mandate: { grant: ['refund'] } }), refunded }
}

test('a tool of another framework runs through the gate, and what it says about approval suspends the run', async () => {
  const small = agentWith(5)
  expect((await small.agent.run('Refund 5.')).status).toBe('completed')
  expect(small.refunded).toEqual([5])
  const large = agentWith(500)
  expect(await large.agent.run('Refund 500.')).toMatchObject({ status: 'await_user', suspendReason: 'approval' })
  expect(large.refunded).toEqual([])
  await Promise.all([small.agent.stop(), large.agent.stop()])
})
