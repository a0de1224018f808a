import { DatabaseSync } from 'node:sqlite'
import { Agent, RunContext, RunState, run, tool } from '@openai/agents'
import type { CallModelInputFilter, CallModelInputFilterArgs, Model, ModelInputData, Usage } from '@openai/agents'
import { z } from 'zod'
import type { Outcome, Shop, Show, Support } from './support.ts'

const Answer = z.object({ decision: z.enum(['refunded', 'refused']), amount: z.number(), reason: z.string() })

const LIMIT = 0.5
/** Dollars per million tokens; to be kept up to date. */
const PRICE = { input: 0.25, output: 2 }

const costOf = ({ inputTokens, outputTokens }: Usage): number =>
  (inputTokens * PRICE.input + outputTokens * PRICE.output) / 1_000_000

export async function openSupport(model: Model, shop: Shop, folder: string): Promise<Support> {
  const db = new DatabaseSync(`${folder}/support.db`)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec('CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, state TEXT NOT NULL)')
  const write = db.prepare('INSERT INTO requests VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state')
  const read = db.prepare('SELECT state FROM requests WHERE id = ?')

  const findOrder = tool({
    name: 'find_order',
    description: 'Finds an order.',
    parameters: z.object({ id: z.string() }),
    execute: ({ id }) => shop.order(id),
  })
  const refund = tool({
    name: 'refund',
    description: 'Pays an order back.',
    parameters: z.object({ order: z.string(), amount: z.number() }),
    needsApproval: async (_context, { amount }) => amount > 50,
    execute: ({ order, amount }) => shop.refund(order, amount),
  })
  const readRules = tool({
    name: 'read_rules',
    description: 'Reads the rules of the shop.',
    parameters: z.object({ topic: z.string() }),
    execute: ({ topic }) => shop.rules(topic),
  })

  /** The agents of one request; `beforeCall` is called before every call of the model. */
  function agentFor(beforeCall: CallModelInputFilter) {
    const expert = new Agent({ name: 'expert', model, instructions: 'Quote the rules.', tools: [readRules] })
    const askExpert = expert.asTool({
      toolName: 'ask_expert',
      toolDescription: 'Knows the rules.',
      runConfig: { callModelInputFilter: beforeCall },
    })
    return new Agent({
      name: 'support',
      model,
      instructions: 'Decide about refunds. Ask the expert first.',
      tools: [findOrder, refund, askExpert],
      outputType: Answer,
    })
  }
  type SupportAgent = ReturnType<typeof agentFor>
  type SupportState = RunState<unknown, SupportAgent>

  async function proceed(
    id: string,
    begin: (agent: SupportAgent) => Promise<SupportState>,
    show: Show,
  ): Promise<Outcome> {
    // The state has the usage of the sub-agent too. Saved before each call of the model, it has the results of all calls before it.
    const agent = agentFor(beforeCall)
    const state = await begin(agent)
    function beforeCall({ modelData }: CallModelInputFilterArgs): ModelInputData {
      write.run(id, state.toString())
      if (costOf(state.usage) >= LIMIT) throw new Error('The budget is spent.')
      return modelData
    }
    try {
      const stream = await run(agent, state, { stream: true, callModelInputFilter: beforeCall })
      for await (const text of stream.toTextStream()) show(text)
      await stream.completed
      write.run(id, state.toString())
      const [call] = stream.interruptions
      if (call !== undefined)
        return { status: 'waiting', call: { tool: call.name ?? '', input: JSON.parse(call.arguments ?? '{}') } }
      return { status: 'done', answer: Answer.parse(stream.finalOutput) }
    } catch (error) {
      if (costOf(state.usage) >= LIMIT) return { status: 'stopped' }
      throw error
    }
  }

  async function load(id: string, agent: SupportAgent): Promise<SupportState> {
    const row = read.get(id)
    if (row === undefined) throw new Error(`There is no request ${id}.`)
    return RunState.fromString(agent, String(row['state']))
  }

  return {
    ask: (id, question, show) =>
      proceed(id, async (agent) => new RunState(new RunContext(), question, agent, 20), show),
    decide: (id, approved, show) =>
      proceed(
        id,
        async (agent) => {
          const state = await load(id, agent)
          const [call] = state.getInterruptions()
          if (call === undefined) throw new Error(`The request ${id} waits for nobody.`)
          if (approved) state.approve(call)
          else state.reject(call, { message: 'A person refused.' })
          return state
        },
        show,
      ),
    resume: (id, show) => proceed(id, (agent) => load(id, agent), show),
    close: async () => db.close(),
  }
}
