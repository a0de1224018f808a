import { withoutIntents } from '../../gate/index.ts'
import type { ResultFilter } from '../output/result.ts'

/** Removes declared intents from a result; the journal has them. */
export const hiddenIntents: ResultFilter = {
  // The text of an ended run is stored without intents already.
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
