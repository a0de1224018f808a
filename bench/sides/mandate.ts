import { Agent, defineTool } from 'mandate'
import type { Model } from 'mandate/model'
import { openStore } from 'mandate/sqlite'
import { z } from 'zod'
import type { Add, DurableSide, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS } from './side.ts'

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

function mock(deltas: number): Model {
  return {
    id: 'mock/mock',
    provider: 'mock',
    modelId: 'mock',
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === 'tool').length
      const isCall = deltas === 0 && turn < TURNS
      if (isCall) yield { type: 'tool-call', toolCallId: `c${turn}`, name: 'add', input: { a: turn, b: 1 } }
      else if (deltas === 0) yield { type: 'text-delta', text: `done ${turn}` }
      for (let index = 0; index < deltas; index++) yield { type: 'text-delta', text: DELTA }
      yield { type: 'usage', usage }
      yield { type: 'finish', reason: isCall ? 'tool-calls' : 'stop' }
    },
  }
}

/** The typical configuration: the whole gate, a hash-chained journal in memory, and no options that the task does not need. */
type Store = Awaited<ReturnType<typeof openStore>>

interface Changes {
  readonly needsApproval?: (input: unknown) => boolean
  readonly store?: Store
}

function agent(add: Add, deltas: number, { store, ...facts }: Changes = {}): Agent {
  const inputSchema = z.object({ a: z.number(), b: z.number() })
  const tool = defineTool({ name: 'add', description: 'add', inputSchema, risk: 'read', run: add, ...facts })
  return new Agent(
    { id: 'bench', model: mock(deltas), instructions: INSTRUCTIONS, tools: [tool], maxTurns: 20 },
    store && { store },
  )
}

function make(add: Add): () => Promise<string> {
  const made = agent(add, 0)
  // A complete answer, as on the other sides.
  return async () => (await made.service.run('bench', 'go')).text
}

async function stream(deltas: number): Promise<number> {
  let count = 0
  for await (const piece of agent(async () => ({ sum: 0 }), deltas).run('go').textStream)
    count += piece === DELTA ? 1 : 0
  return count
}

/** Starts runs that suspend half-way for an approval, so that only their journals remain. */
export async function park(count: number): Promise<Agent> {
  const needsApproval = (input: unknown): boolean => (input as { a: number }).a === TURNS / 2
  const made = agent(async ({ a, b }) => ({ sum: a + b }), 0, { needsApproval })
  for (let index = 0; index < count; index++) {
    const { status } = await made.service.run('bench', 'go')
    if (status !== 'await_user') throw new Error(`A run that needs an approval is ${status}.`)
  }
  return made
}

async function durable(folder: string): Promise<DurableSide> {
  const made = agent(async ({ a, b }) => ({ sum: a + b }), 0, { store: await openStore({ dir: folder }) })
  return {
    label: 'mandate, Agent, openStore of mandate/sqlite',
    run: async () => (await made.service.run('bench', 'go')).text,
  }
}

export const side: PeerSide = { label: 'mandate, whole gate, hash-chained journal in memory', make, stream, durable }
