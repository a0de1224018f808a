import { withoutIntents } from '../gate/index.ts'
import type { Message } from '../model/index.ts'
import type { AgentResult } from './result-types.ts'

export { withoutIntents } from '../gate/index.ts'

/** A result without what the model declared in it; the journal has it. Its texts were said without. */
export function hideIntents(result: AgentResult): AgentResult {
  const { assistantMessage, intermediateMessages } = result
  const text = withoutIntents(result.text)
  return Object.freeze({
    ...result,
    // Of a run that has not ended, they are what its messages say.
    text,
    lastText: withoutIntents(result.lastText),
    summary: text,
    response: text,
    assistantMessage: assistantMessage === null ? null : hidden(assistantMessage),
    intermediateMessages: intermediateMessages.map(hidden),
  })
}

function hidden(message: Message): Message {
  if (message.role !== 'assistant') return message
  const content = message.content.flatMap((part) => {
    if (part.type !== 'text' || !part.text.includes('<intent>')) return [part]
    const text = withoutIntents(part.text)
    return text === '' ? [] : [{ ...part, text }]
  })
  return { ...message, content }
}
