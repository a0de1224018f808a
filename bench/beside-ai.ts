import { ToolLoopAgent, isStepCount, tool } from 'ai'
import { Agent, defineTool } from 'mandate'
import type { Model } from 'mandate/model'
import { z } from 'zod'
import { measure } from './harness.ts'
import type { Measured } from './harness.ts'

const TURNS = 10
const PROMPT = 'You add numbers.'
const input = z.object({ a: z.number(), b: z.number() })
const add = async ({ a, b }: { a: number; b: number }): Promise<{ sum: number }> => ({ sum: a + b })

/** The same conversation for both: ten calls of one tool, then a word. The model costs next to nothing, so what is measured is everything around it. */
function aiAgent(): () => Promise<string> {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 5, text: 5, reasoning: undefined },
  }
  const model = {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: 'mock',
    supportedUrls: {},
    async doGenerate({ prompt }: { prompt: readonly { role: string }[] }) {
      const turn = prompt.filter(({ role }) => role === 'tool').length
      const done = {
        content: [{ type: 'text', text: `done ${turn}` }],
        finishReason: { unified: 'stop', raw: undefined },
      }
      const call = {
        type: 'tool-call',
        toolCallId: `c${turn}`,
        toolName: 'add',
        input: JSON.stringify({ a: turn, b: 1 }),
      }
      const more = { content: [call], finishReason: { unified: 'tool-calls', raw: undefined } }
      return { ...(turn < TURNS ? more : done), usage, warnings: [] }
    },
  }
  const tools = { add: tool({ description: 'add', inputSchema: input, execute: add }) }
  const agent = new ToolLoopAgent({ model: model as never, instructions: PROMPT, tools, stopWhen: isStepCount(20) })
  return async () => (await agent.generate({ prompt: 'go' })).text
}

function ownAgent(): () => Promise<string> {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  const model: Model = {
    id: 'mock/mock',
    provider: 'mock',
    modelId: 'mock',
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === 'tool').length
      if (turn < TURNS) yield { type: 'tool-call', toolCallId: `c${turn}`, name: 'add', input: { a: turn, b: 1 } }
      else yield { type: 'text-delta', text: `done ${turn}` }
      yield { type: 'usage', usage }
      yield { type: 'finish', reason: turn < TURNS ? 'tool-calls' : 'stop' }
    },
  }
  const tools = [defineTool({ name: 'add', description: 'add', inputSchema: input, risk: 'read', run: add })]
  const agent = new Agent({ id: 'bench', model, instructions: PROMPT, tools, maxTurns: 20 })
  return async () => (await agent.service.run('bench', 'go')).text
}

/** What a step costs beside the AI SDK's own loop, which keeps no journal and asks no gate. */
export async function besideAi(): Promise<Measured> {
  const repeat =
    (once: () => Promise<string>) =>
    async (count: number): Promise<void> => {
      for (let done = 0; done < count; done += TURNS + 1)
        if ((await once()) !== `done ${TURNS}`) throw new Error('a wrong answer')
    }
  const sides = [
    { name: 'ai 7, ToolLoopAgent (no gate, no journal)', run: repeat(aiAgent()) },
    { name: 'mandate, whole gate, hash-chained journal in memory', run: repeat(ownAgent()) },
  ]
  return measure({ name: 'One step, beside the AI SDK', unit: 'step', count: 2_200, rounds: 9, sides })
}
