import { scripted } from 'mandate/model'

const replies = [
  { text: 'I look the order up.', toolCalls: [{ name: 'find_order', input: { order: 'A-17' } }] },
  { text: 'I pay it back.', toolCalls: [{ name: 'refund', input: { order: 'A-17', amount: 80 } }] },
  'Order A-17 was an espresso machine for $80. That is all I can say without a real model: set MANDATE_MODEL.',
]

/** The model: the one that MANDATE_MODEL names, such as `openai/gpt-5-mini`, or scripted replies, which need no key and no network. */
export const model = process.env['MANDATE_MODEL'] || scripted((_, { position }) => replies[position % replies.length]!)
