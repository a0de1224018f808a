import { load } from '../../bench/peers/load.ts'
import { type Reply, piecesOf, replyTo, usage } from './script.ts'

interface Request {
  readonly systemInstructions?: string
  readonly input: string | readonly { readonly type?: string }[]
}

const counts = { requests: 1, ...usage, totalTokens: usage.inputTokens + usage.outputTokens }

function replyOf({ systemInstructions = '', input }: Request): { reply: Reply; id: string } {
  const results = typeof input === 'string' ? 0 : input.filter(({ type }) => type === 'function_call_result').length
  return {
    reply: replyTo(systemInstructions, results, { expertInput: { input: 'May A-17 be refunded?' } }),
    id: `call-${results}`,
  }
}

function responseOf({ reply, id }: { reply: Reply; id: string }): object {
  const item =
    'tool' in reply
      ? {
          type: 'function_call',
          id,
          callId: id,
          name: reply.tool,
          status: 'completed',
          arguments: JSON.stringify(reply.input),
        }
      : {
          type: 'message',
          id,
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: reply.text }],
        }
  return { id, usage: counts, output: [item] }
}

// Typed by the side that takes it, whose package may not be installed.
export const model: object = {
  async getResponse(request: Request) {
    const { Usage } = await load<{ Usage: new (counts: object) => object }>('@openai/agents')
    return { ...responseOf(replyOf(request)), usage: new Usage(counts) }
  },
  async *getStreamedResponse(request: Request) {
    const due = replyOf(request)
    yield { type: 'response_started' }
    if ('text' in due.reply) for (const delta of piecesOf(due.reply.text)) yield { type: 'output_text_delta', delta }
    yield { type: 'response_done', response: responseOf(due) }
  },
}
