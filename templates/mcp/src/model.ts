import { scripted } from 'mandate/model'

const replies = [
  { text: 'I look.', toolCalls: [{ name: 'find_notes', input: { text: 'espresso' } }] },
  'The espresso machine is descaled on the first Monday of a month.',
]

/** The model: the one that MANDATE_MODEL names, such as `openai/gpt-5-mini`, or scripted replies, which need no key and no network. */
export const model = process.env['MANDATE_MODEL'] || scripted((_, { position }) => replies[position % replies.length]!)
