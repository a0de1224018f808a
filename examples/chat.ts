/**
 * A conversation with two agents, tools and a store: run it twice, and it goes on where it ended. Run it with `node examples/chat.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Atlas, agent, chatText, tool } from 'mandate/chat'
import { scripted } from 'mandate/model'
import { openStore } from 'mandate/sqlite'

const dir = process.env['CHAT_DIR'] ?? mkdtempSync(join(tmpdir(), 'chat-'))

const orders = new Map([['1001', { item: 'kettle', paid: 39 }]])
const parameters = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }

const lookUp = tool<{ order: string }>(
  { name: 'look_up', description: 'Looks an order up.', parameters, risk: 'read' },
  ({ order }) => orders.get(order) ?? 'no such order',
)
const refund = tool<{ order: string }>(
  { name: 'refund', description: 'Pays an order back.', parameters, risk: 'write', needsApproval: true },
  ({ order }) => `refunded ${orders.get(order)?.paid ?? 0} euros`,
)

// Scripted models stand in for real ones: give `model: 'openai/gpt-5'`, and nothing else changes.
const support = agent({
  id: 'support',
  systemPrompt: 'Help with orders.',
  tools: [lookUp],
  model: scripted([
    { text: 'Let me see.', toolCalls: [{ name: 'look_up', input: { order: '1001' } }] },
    'Order 1001 is a kettle.',
  ]),
})
const billing = agent({
  id: 'billing',
  systemPrompt: 'Help with money.',
  tools: [lookUp, refund],
  model: scripted([
    // A script counts the replies of the whole conversation: two of them are by the other agent.
    '',
    '',
    { text: 'I ask for it to be approved.', toolCalls: [{ name: 'refund', input: { order: '1001' } }] },
    'You have your 39 euros back.',
  ]),
})

/** A new Atlas over the same store, as after a restart. */
async function open(): Promise<Atlas> {
  const store = await openStore({ dir })
  const atlas = new Atlas({
    agents: [support, billing],
    systemPrompt: 'You work for a shop.',
    store,
    conversationId: 'order-1001',
  })
  // Who answers is chosen for each message; a supervisor that asks a model would do it here.
  atlas.routeMessage((message) => (/money|refund/.test(chatText(message)) ? 'billing' : 'support'))
  atlas.on('tool:called', ({ tool: name, args }) => console.log(`  [${name} ${JSON.stringify(args)}]`))
  return atlas
}

const today = await open()
console.log('> What did I order?')
for await (const text of today.send('What did I order? It is order 1001.')) process.stdout.write(text)
process.stdout.write('\n')
await today.stop()

const tomorrow = await open()
console.log('> I want a refund.')
const stream = tomorrow.send('I want a refund.')
for await (const text of stream) process.stdout.write(text)
console.log(
  `\n  [${stream.status}: ${stream.pending.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join()}]`,
)
for (const { approvalId } of stream.pending) await tomorrow.service.approve(approvalId!, { reason: 'the kettle leaks' })
const rest = await tomorrow.continue()
for await (const text of rest) process.stdout.write(text)
const { messages } = await tomorrow.getConversation()
console.log(
  `\n${messages.length} messages; the last one is by ${JSON.stringify(messages.at(-1)?.metadata?.['agentId'])}.`,
)
await tomorrow.stop()
if (process.env['CHAT_DIR'] === undefined) rmSync(dir, { recursive: true })
