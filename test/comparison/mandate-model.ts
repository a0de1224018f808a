import type { Model } from 'mandate/model'
import { textOf } from '../../src/model/index.ts'
import { piecesOf, replyTo, usage } from './script.ts'

/** Called a model whose price Mandate knows. */
export const model: Model = {
  id: 'openai/gpt-5-mini',
  provider: 'openai',
  modelId: 'gpt-5-mini',
  async *stream({ messages }) {
    const system = messages.filter(({ role }) => role === 'system').map(textOf)
    const results = messages.filter(({ role }) => role === 'tool').length
    const reply = replyTo(system.join(' '), results)
    if ('tool' in reply)
      yield { type: 'tool-call', toolCallId: `call-${results}`, name: reply.tool, input: reply.input as never }
    else for (const text of piecesOf(reply.text)) yield { type: 'text-delta', text }
    yield { type: 'usage', usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens } }
    yield { type: 'finish', reason: 'tool' in reply ? 'tool-calls' : 'stop' }
  },
}
