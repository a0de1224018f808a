import { DatabaseSync } from 'node:sqlite'
import { Output, ToolLoopAgent, isStepCount, tool } from 'ai'
import type { LanguageModel, LanguageModelUsage, ModelMessage } from 'ai'
import { z } from 'zod'
import type { Outcome, Shop, Show, Support } from './support.ts'

const Answer = z.object({ decision: z.enum(['refunded', 'refused']), amount: z.number(), reason: z.string() })

const LIMIT = 0.5
/** Dollars per million tokens; to be kept up to date. */
const PRICE = { input: 0.25, output: 2 }

interface Saved {
  messages: ModelMessage[]
  spent: number
}

export async function openSupport(model: LanguageModel, shop: Shop, folder: string): Promise<Support> {
  const db = new DatabaseSync(`${folder}/support.db`)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, state TEXT NOT NULL)')
  const write = db.prepare('INSERT INTO requests VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state')
  const read = db.prepare('SELECT state FROM requests WHERE id = ?')

  function load(id: string): Saved {
    const row = read.get(id)
    if (row === undefined) throw new Error(`There is no request ${id}.`)
    return JSON.parse(String(row['state'])) as Saved
  }

  /** The agents of one request: what both spend is counted in one place. */
  function agentFor(saved: Saved, save: () => unknown) {
    const count = ({ inputTokens = 0, outputTokens = 0 }: LanguageModelUsage): void => {
      saved.spent += (inputTokens * PRICE.input + outputTokens * PRICE.output) / 1_000_000
      save()
    }
    const stopWhen = [isStepCount(20), () => saved.spent >= LIMIT]

    const expert = new ToolLoopAgent({
      model,
      instructions: 'Quote the rules.',
      tools: {
        read_rules: tool({
          description: 'Reads the rules of the shop.',
          inputSchema: z.object({ topic: z.string() }),
          execute: ({ topic }) => shop.rules(topic),
        }),
      },
      stopWhen,
      onStepEnd: ({ usage }) => count(usage),
    })
    return new ToolLoopAgent({
      model,
      instructions: 'Decide about refunds. Ask the expert first.',
      tools: {
        find_order: tool({
          description: 'Finds an order.',
          inputSchema: z.object({ id: z.string() }),
          execute: (input) => shop.order(input.id),
        }),
        refund: tool({
          description: 'Pays an order back.',
          inputSchema: z.object({ order: z.string(), amount: z.number() }),
          execute: ({ order, amount }) => shop.refund(order, amount),
        }),
        ask_expert: tool({
          description: 'Knows the rules.',
          inputSchema: z.object({ prompt: z.string() }),
          execute: async ({ prompt }, { abortSignal }) =>
            (await expert.generate({ prompt, ...(abortSignal && { abortSignal }) })).text,
        }),
      },
      toolApproval: { refund: ({ amount }) => (amount > 50 ? 'user-approval' : undefined) },
      output: Output.object({ schema: Answer }),
      stopWhen,
      // Before each call of the model, so with the results of all calls that came before it, approved ones included.
      prepareStep({ messages }) {
        saved.messages = messages
        save()
        return undefined
      },
      onStepEnd: ({ usage }) => count(usage),
    })
  }

  async function run(id: string, saved: Saved, show: Show): Promise<Outcome> {
    const save = (): unknown => write.run(id, JSON.stringify(saved))
    save()
    if (saved.spent >= LIMIT) return { status: 'stopped' }
    const messages = [...saved.messages]
    const stream = await agentFor(saved, save).stream({ messages })
    for await (const part of stream.partialOutputStream) show(part)
    saved.messages = [...messages, ...(await stream.responseMessages)]
    save()
    for (const part of await stream.content)
      if (part.type === 'tool-approval-request' && !part.isAutomatic)
        return { status: 'waiting', call: { tool: part.toolCall.toolName, input: part.toolCall.input } }
    if (saved.spent >= LIMIT && (await stream.finishReason) === 'tool-calls') return { status: 'stopped' }
    return { status: 'done', answer: await stream.output }
  }
  return {
    ask: (id, question, show) => run(id, { messages: [{ role: 'user', content: question }], spent: 0 }, show),
    async decide(id, approved, show) {
      const saved = load(id)
      const parts = saved.messages.flatMap(({ role, content }) =>
        role === 'assistant' && typeof content !== 'string' ? content : [],
      )
      const request = parts.findLast((part) => part.type === 'tool-approval-request')
      if (request === undefined) throw new Error(`The request ${id} waits for nobody.`)
      const answer = { type: 'tool-approval-response' as const, approvalId: request.approvalId, approved }
      saved.messages.push({ role: 'tool', content: [answer] })
      return run(id, saved, show)
    },
    resume: (id, show) => run(id, load(id), show),
    close: async () => db.close(),
  }
}
