import { withoutIntents } from '../../gate/index.ts'
import type { Hiding } from '../output/result.ts'

/** Leaves out of a result what the model declared; the journal has it. */
export const hiddenIntents: Hiding = {
  // Texts of a run that has ended are stored without intents already.
  text: (text) => (text.includes('<intent>') ? withoutIntents(text) : text),
  message(message) {
    if (message.role !== 'assistant') return message
    const content = message.content.flatMap((part) => {
      if (part.type !== 'text' || !part.text.includes('<intent>')) return [part]
      const text = withoutIntents(part.text)
      return text === '' ? [] : [{ ...part, text }]
    })
    return { ...message, content }
  },
}
