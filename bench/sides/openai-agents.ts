import { z } from 'zod'
import { load } from '../peers/load.ts'
import type { Add, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS } from './side.ts'

interface StreamEvent {
  readonly type: string
  readonly data: { readonly type: string }
}

interface Streamed extends AsyncIterable<StreamEvent> {
  readonly completed: Promise<unknown>
}

interface OpenAiAgents {
  readonly Agent: new (options: object) => object
  readonly Runner: new (options: object) => {
    run(agent: object, input: string, options: { maxTurns: number }): Promise<{ readonly finalOutput: string }>
    run(agent: object, input: string, options: { stream: true }): Promise<Streamed>
  }
  readonly Usage: new (counts: object) => object
  tool(options: object): object
  setTracingDisabled(isDisabled: boolean): void
}

const library = await load<OpenAiAgents>('@openai/agents')
library.setTracingDisabled(true)
const counts = { requests: 1, inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const runner = new library.Runner({ tracingDisabled: true })

function message(id: string, text: string): object {
  return { type: 'message', id, role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] }
}

function mock(deltas: number): object {
  return {
    async getResponse({ input }: { input: string | readonly { type?: string }[] }) {
      const turn = typeof input === 'string' ? 0 : input.filter(({ type }) => type === 'function_call_result').length
      const call = { type: 'function_call', id: `f${turn}`, callId: `c${turn}`, name: 'add', status: 'completed' }
      const item =
        turn < TURNS ? { ...call, arguments: JSON.stringify({ a: turn, b: 1 }) } : message(`m${turn}`, `done ${turn}`)
      return { usage: new library.Usage(counts), responseId: `r${turn}`, output: [item] }
    },
    async *getStreamedResponse() {
      yield { type: 'response_started' }
      for (let index = 0; index < deltas; index++) yield { type: 'output_text_delta', delta: DELTA }
      const response = { id: 'r', usage: counts, output: [message('m', DELTA.repeat(deltas))] }
      yield { type: 'response_done', response }
    },
  }
}

function agent(add: Add, deltas: number): object {
  const parameters = z.object({ a: z.number(), b: z.number() })
  const tools = [library.tool({ name: 'add', description: 'add', parameters, execute: add })]
  return new library.Agent({ name: 'bench', instructions: INSTRUCTIONS, model: mock(deltas), tools })
}

function make(add: Add): () => Promise<string> {
  const made = agent(add, 0)
  return async () => (await runner.run(made, 'go', { maxTurns: 20 })).finalOutput
}

async function stream(deltas: number): Promise<number> {
  const run = await runner.run(
    agent(async () => ({ sum: 0 }), deltas),
    'go',
    { stream: true },
  )
  let count = 0
  for await (const { type, data } of run)
    count += type === 'raw_model_stream_event' && data.type === 'output_text_delta' ? 1 : 0
  await run.completed
  return count
}

export const side: PeerSide = { label: '@openai/agents 0.20 (tracing off)', make, stream }
