import { DatabaseSync } from 'node:sqlite'
import { Agent } from '@mastra/core/agent'
import type { MastraDBMessage } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { Mastra } from '@mastra/core/mastra'
import { RequestContext } from '@mastra/core/request-context'
import type { Processor } from '@mastra/core/processors'
import type { MastraModelOutput } from '@mastra/core/stream'
import { createTool } from '@mastra/core/tools'
import { LibSQLStore } from '@mastra/libsql'
import { z } from 'zod'
import type { Outcome, Shop, Show, Support } from './support.ts'

const Answer = z.object({ decision: z.enum(['refunded', 'refused']), amount: z.number(), reason: z.string() })
type Answer = z.infer<typeof Answer>

const LIMIT = 0.5
/** Dollars per million tokens; to be kept up to date. */
const PRICE = { input: 0.25, output: 2 }

interface Saved {
  messages: MastraDBMessage[]
  spent: number
}

export async function openSupport(model: MastraModelConfig, shop: Shop, folder: string): Promise<Support> {
  const storage = new LibSQLStore({ id: 'support', url: `file:${folder}/support.db` })

  const db = new DatabaseSync(`${folder}/requests.db`)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, state TEXT NOT NULL)')
  const write = db.prepare('INSERT INTO requests VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state')
  const read = db.prepare('SELECT state FROM requests WHERE id = ?')
  const load = (id: unknown): Saved =>
    JSON.parse(String(read.get(String(id))?.['state'] ?? '{"messages":[],"spent":0}')) as Saved
  const save = (id: unknown, saved: Saved): unknown => write.run(String(id), JSON.stringify(saved))

  const findOrder = createTool({
    id: 'find_order',
    description: 'Finds an order.',
    inputSchema: z.object({ id: z.string() }),
    execute: ({ id }) => shop.order(id),
  })
  const refund = createTool({
    id: 'refund',
    description: 'Pays an order back.',
    inputSchema: z.object({ order: z.string(), amount: z.number() }),
    requireApproval: ({ amount }) => amount > 50,
    execute: ({ order, amount }) => shop.refund(order, amount),
  })
  const readRules = createTool({
    id: 'read_rules',
    description: 'Reads the rules of the shop.',
    inputSchema: z.object({ topic: z.string() }),
    execute: ({ topic }) => shop.rules(topic),
  })

  /** Counts what both agents spend on a request, in one place. */
  const budget = {
    id: 'budget',
    processInputStep({ abort, requestContext }) {
      if (load(requestContext?.get('request')).spent >= LIMIT) abort('The budget is spent.')
      return {}
    },
    processOutputStep({ usage, messages, requestContext }) {
      const id = requestContext?.get('request')
      const { inputTokens = 0, outputTokens = 0 } = usage
      const saved = load(id)
      saved.spent += (inputTokens * PRICE.input + outputTokens * PRICE.output) / 1_000_000
      save(id, saved)
      return messages
    },
  } satisfies Processor
  /** Keeps the conversation before each call of the model, so with the results of all calls that came before it. */
  const checkpoint = {
    id: 'checkpoint',
    processInputStep({ messages, requestContext }) {
      const id = requestContext?.get('request')
      save(id, { ...load(id), messages })
      return {}
    },
  } satisfies Processor

  const expert = new Agent({
    id: 'ask_expert',
    name: 'ask_expert',
    description: 'Knows the rules.',
    instructions: 'Quote the rules.',
    model,
    tools: { read_rules: readRules },
    inputProcessors: [budget],
    outputProcessors: [budget],
  })
  const support = new Agent({
    id: 'support',
    name: 'support',
    instructions: 'Decide about refunds. Ask the expert first.',
    model,
    tools: { find_order: findOrder, refund },
    agents: { ask_expert: expert },
    inputProcessors: [budget, checkpoint],
    outputProcessors: [budget],
  })
  const agent = new Mastra({ agents: { support, expert }, storage, logger: false }).getAgent('support')

  async function finish(started: Promise<MastraModelOutput<Answer>>, show: Show): Promise<Outcome> {
    const output = await started
    let call: Outcome['call']
    for await (const chunk of output.fullStream) {
      if (chunk.type === 'tripwire') return { status: 'stopped' }
      if (chunk.type === 'tool-call-approval') call = { tool: chunk.payload.toolName, input: chunk.payload.args }
      if (chunk.type === 'object') show(chunk.object)
    }
    if (call !== undefined) return { status: 'waiting', call }
    return { status: 'done', answer: await output.object }
  }
  const optionsFor = (runId: string) => ({
    runId,
    structuredOutput: { schema: Answer },
    requestContext: new RequestContext([['request', runId]]),
    maxSteps: 20,
  })

  return {
    ask: (id, question, show) => finish(agent.stream(question, optionsFor(id)), show),
    decide: (id, approved, show) =>
      finish(approved ? agent.approveToolCall(optionsFor(id)) : agent.declineToolCall(optionsFor(id)), show),
    resume: (id, show) => finish(agent.stream(load(id).messages, optionsFor(id)), show),
    async close() {
      db.close()
      await storage.close()
    },
  }
}
