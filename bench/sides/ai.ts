import { ToolLoopAgent, isStepCount, tool } from 'ai'
import { z } from 'zod'
import type { Add, PeerSide } from './side.ts'
import { DELTA, INSTRUCTIONS, TURNS, streamOf } from './side.ts'

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}
const stop = { unified: 'stop', raw: undefined }
const more = { unified: 'tool-calls', raw: undefined }

/** A language model of the AI SDK's specification, without the bookkeeping of its own mock. */
function mock(deltas: number): object {
  return {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: 'mock',
    supportedUrls: {},
    async doGenerate({ prompt }: { prompt: readonly { role: string }[] }) {
      const turn = prompt.filter(({ role }) => role === 'tool').length
      if (turn >= TURNS) {
        return { content: [{ type: 'text', text: `done ${turn}` }], finishReason: stop, usage, warnings: [] }
      }
      const input = JSON.stringify({ a: turn, b: 1 })
      const call = { type: 'tool-call', toolCallId: `c${turn}`, toolName: 'add', input }
      return { content: [call], finishReason: more, usage, warnings: [] }
    },
    async doStream() {
      return { stream: streamOf(parts(deltas)) }
    },
  }
}

function* parts(deltas: number): Generator<object> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'text-start', id: '1' }
  for (let index = 0; index < deltas; index++) yield { type: 'text-delta', id: '1', delta: DELTA }
  yield { type: 'text-end', id: '1' }
  yield { type: 'finish', usage, finishReason: stop }
}

function agent(add: Add, deltas: number): ToolLoopAgent<never, never> {
  const inputSchema = z.object({ a: z.number(), b: z.number() })
  const tools = { add: tool({ description: 'add', inputSchema, execute: add }) }
  const settings = { model: mock(deltas) as never, instructions: INSTRUCTIONS, tools, stopWhen: isStepCount(20) }
  return new ToolLoopAgent(settings) as never
}

function make(add: Add): () => Promise<string> {
  const made = agent(add, 0)
  return async () => (await made.generate({ prompt: 'go' })).text
}

async function stream(deltas: number): Promise<number> {
  const { textStream } = await agent(async () => ({ sum: 0 }), deltas).stream({ prompt: 'go' })
  let count = 0
  for await (const piece of textStream) count += piece === DELTA ? 1 : 0
  return count
}

export const side: PeerSide = { label: 'ai 7, ToolLoopAgent', make, stream }
