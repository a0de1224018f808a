import { join } from 'node:path'
import { z } from 'zod'
import { load } from '../peers/load.ts'
import type { Add, DurableSide, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS, streamOf } from './side.ts'

interface MastraAgent {
  generate(prompt: string, options: object): Promise<{ readonly text: string }>
  stream(prompt: string, options: object): Promise<{ readonly textStream: AsyncIterable<string> }>
}

const { Agent } = await load<{ Agent: new (options: object) => MastraAgent }>('@mastra/core/agent')
const { createTool } = await load<{ createTool: (options: object) => object }>('@mastra/core/tools')
const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

function mock(deltas: number): object {
  return {
    specificationVersion: 'v2',
    provider: 'mock',
    modelId: 'mock',
    supportedUrls: {},
    async doStream({ prompt }: { prompt: readonly { role: string }[] }) {
      const turn = prompt.filter(({ role }) => role === 'tool').length
      return { stream: streamOf(parts(turn, deltas)) }
    },
    async doGenerate({ prompt }: { prompt: readonly { role: string }[] }) {
      const turn = prompt.filter(({ role }) => role === 'tool').length
      const text = { type: 'text', text: `done ${turn}` }
      const content = turn < TURNS ? [callOf(turn)] : [text]
      return { content, finishReason: turn < TURNS ? 'tool-calls' : 'stop', usage, warnings: [] }
    },
  }
}

function callOf(turn: number): object {
  return { type: 'tool-call', toolCallId: `c${turn}`, toolName: 'add', input: JSON.stringify({ a: turn, b: 1 }) }
}

function* parts(turn: number, deltas: number): Generator<object> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', id: 'r', modelId: 'mock', timestamp: new Date(0) }
  if (deltas === 0 && turn < TURNS) {
    yield callOf(turn)
    yield { type: 'finish', finishReason: 'tool-calls', usage }
    return
  }
  yield { type: 'text-start', id: '1' }
  if (deltas === 0) yield { type: 'text-delta', id: '1', delta: `done ${turn}` }
  for (let index = 0; index < deltas; index++) yield { type: 'text-delta', id: '1', delta: DELTA }
  yield { type: 'text-end', id: '1' }
  yield { type: 'finish', finishReason: 'stop', usage }
}

function agent(add: Add, deltas: number): MastraAgent {
  const inputSchema = z.object({ a: z.number(), b: z.number() })
  const execute = async (given: { context?: { a: number; b: number } }): Promise<unknown> =>
    add(given.context ?? (given as { a: number; b: number }))
  const tools = { add: createTool({ id: 'add', description: 'add', inputSchema, execute }) }
  return new Agent({ id: 'bench', name: 'bench', instructions: INSTRUCTIONS, model: mock(deltas), tools })
}

function make(add: Add): () => Promise<string> {
  const made = agent(add, 0)
  return async () => (await made.generate('go', { maxSteps: 20 })).text
}

async function stream(deltas: number): Promise<number> {
  const { textStream } = await agent(async () => ({ sum: 0 }), deltas).stream('go', { maxSteps: 2 })
  let count = 0
  for await (const piece of textStream) count += piece === DELTA ? 1 : 0
  return count
}

interface DurableAgent {
  stream(
    prompt: string,
    options: object,
  ): Promise<{ readonly output: { readonly text: Promise<string> }; readonly cleanup: () => void }>
}

async function durable(folder: string): Promise<DurableSide> {
  const { Mastra } = await load<{ Mastra: new (options: object) => { getAgent(name: string): DurableAgent } }>(
    '@mastra/core',
  )
  const { createDurableAgent } = await load<{ createDurableAgent: (options: object) => DurableAgent }>(
    '@mastra/core/agent/durable',
  )
  const { LibSQLStore } = await load<{ LibSQLStore: new (options: object) => { init(): Promise<void> } }>(
    '@mastra/libsql',
  )
  const storage = new LibSQLStore({ id: 'bench', url: `file:${join(folder, 'mastra.db')}` })
  await storage.init()
  const bench = createDurableAgent({ agent: agent(async ({ a, b }) => ({ sum: a + b }), 0) })
  const made = new Mastra({ agents: { bench }, storage, logger: false }).getAgent('bench')
  const run = async (): Promise<string> => {
    const { output, cleanup } = await made.stream('go', { maxSteps: 20 })
    const text = await output.text
    cleanup()
    return text
  }
  return { label: '@mastra/core 1.71, createDurableAgent, LibSQLStore', run }
}

export const side: PeerSide = { label: '@mastra/core 1.71, Agent', make, stream, durable }
