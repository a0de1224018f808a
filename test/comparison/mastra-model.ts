import { ReadableStream } from 'node:stream/web'
import { type Reply, piecesOf, replyTo, usage } from './script.ts'

type Prompt = readonly { readonly role: string; readonly content: unknown }[]

const script = { expert: 'agent-ask_expert', expertInput: { prompt: 'May A-17 be refunded?' } }
const spent = { ...usage, totalTokens: usage.inputTokens + usage.outputTokens }

function replyOf(prompt: Prompt): { reply: Reply; id: string } {
  const system = prompt.filter(({ role }) => role === 'system').map(({ content }) => JSON.stringify(content))
  const results = prompt.filter(({ role }) => role === 'tool').length
  return { reply: replyTo(system.join(' '), results, script), id: `call-${results}` }
}

function* partsOf({ reply, id }: { reply: Reply; id: string }): Generator<object> {
  yield { type: 'stream-start', warnings: [] }
  yield { type: 'response-metadata', id, modelId: 'mock', timestamp: new Date(0) }
  if ('tool' in reply)
    yield { type: 'tool-call', toolCallId: id, toolName: reply.tool, input: JSON.stringify(reply.input) }
  else {
    yield { type: 'text-start', id }
    for (const delta of piecesOf(reply.text)) yield { type: 'text-delta', id, delta }
    yield { type: 'text-end', id }
  }
  yield { type: 'finish', usage: spent, finishReason: 'tool' in reply ? 'tool-calls' : 'stop' }
}

export const model: object = {
  specificationVersion: 'v2',
  provider: 'openai',
  modelId: 'gpt-5-mini',
  supportedUrls: {},
  doStream: async ({ prompt }: { prompt: Prompt }) => ({ stream: ReadableStream.from(partsOf(replyOf(prompt))) }),
  async doGenerate({ prompt }: { prompt: Prompt }) {
    const { reply, id } = replyOf(prompt)
    const finishReason = 'tool' in reply ? 'tool-calls' : 'stop'
    const content =
      'tool' in reply
        ? { type: 'tool-call', toolCallId: id, toolName: reply.tool, input: JSON.stringify(reply.input) }
        : { type: 'text', text: reply.text }
    return { content: [content], finishReason, usage: spent, warnings: [] }
  },
}
