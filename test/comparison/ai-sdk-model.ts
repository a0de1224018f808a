import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'
import { type Reply, piecesOf, replyTo, usage } from './script.ts'

type Generate = Extract<
  NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate'],
  (...args: never) => unknown
>
type Prompt = Parameters<Generate>[0]['prompt']
type Generated = Awaited<ReturnType<Generate>>

function replyOf(prompt: Prompt): { reply: Reply; id: string } {
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  const parts = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))
  const results = parts.filter(({ type }) => type === 'tool-result').length
  return { reply: replyTo(system.join(' '), results), id: `call-${results}` }
}

const spent: Generated['usage'] = {
  inputTokens: { total: usage.inputTokens, noCache: usage.inputTokens, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: usage.outputTokens, text: usage.outputTokens, reasoning: 0 },
}
const reasonOf = (reply: Reply): Generated['finishReason'] => ({
  unified: 'tool' in reply ? 'tool-calls' : 'stop',
  raw: undefined,
})
const callOf = ({ tool, input }: { tool: string; input: object }, toolCallId: string) =>
  ({ type: 'tool-call', toolCallId, toolName: tool, input: JSON.stringify(input) }) as const

export const model: MockLanguageModelV4 = new MockLanguageModelV4({
  async doGenerate({ prompt }) {
    const { reply, id } = replyOf(prompt)
    const content = 'tool' in reply ? callOf(reply, id) : ({ type: 'text', text: reply.text } as const)
    return { content: [content], finishReason: reasonOf(reply), usage: spent, warnings: [] }
  },
  async doStream({ prompt }) {
    const { reply, id } = replyOf(prompt)
    const text =
      'tool' in reply ? [] : piecesOf(reply.text).map((delta) => ({ type: 'text-delta', id, delta }) as const)
    const content =
      'tool' in reply
        ? [callOf(reply, id)]
        : [{ type: 'text-start', id } as const, ...text, { type: 'text-end', id } as const]
    return {
      stream: convertArrayToReadableStream([
        { type: 'stream-start', warnings: [] },
        ...content,
        { type: 'finish', usage: spent, finishReason: reasonOf(reply) },
      ]),
    }
  },
})
