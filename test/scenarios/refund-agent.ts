import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool } from 'mandate'
import type { AgentConfig, Json } from 'mandate'
import { scripted, toolResultsOf } from 'mandate/model'

export interface RefundOptions {
  /** Ends the process, without a word, when the model is asked for its second answer. */
  readonly dieInTurn2?: boolean | undefined
}

/** Looks an order up, pays it back if a person agrees, and says so. What really happened is in `ledger`, outside every journal. */
export function refundAgent(dir: string, { dieInTurn2 = false }: RefundOptions = {}): AgentConfig {
  const act = (line: string, value: Json): Json => {
    appendFileSync(join(dir, 'ledger'), `${line}\n`)
    return value
  }
  const order = { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] }
  const lookUp = defineTool({
    name: 'look_up',
    risk: 'read',
    inputSchema: order,
    run: (input: { order: string }) => act(`look_up ${input.order}`, { amount: 40 }),
  })
  const refund = defineTool({
    name: 'refund',
    risk: 'destructive',
    run: (input: { order: string; amount: number }) => act(`refund ${input.order} ${input.amount}`, 'paid'),
  })
  const model = scripted([
    { text: 'I look it up.', toolCalls: [{ name: 'look_up', input: { order: 'A-17' } }] },
    ({ messages }) => {
      if (dieInTurn2) process.kill(process.pid, 'SIGKILL')
      const { amount } = toolResultsOf(messages.at(-1)!)[0]!.value as { amount: number }
      return { text: `I pay ${amount} back.`, toolCalls: [{ name: 'refund', input: { order: 'A-17', amount } }] }
    },
    ({ messages }) =>
      toolResultsOf(messages.at(-1)!)[0]!.status === 'ok' ? 'It is paid back.' : 'I may not pay it back.',
  ])
  return { id: 'support', model, tools: [lookUp, refund] }
}
