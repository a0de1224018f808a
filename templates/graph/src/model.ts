import { installedModels } from 'mandate/connect'
import { modelById, scripted } from 'mandate/model'
import type { Model } from 'mandate/model'

const replies = [
  'The new espresso machine is here, and it is quiet.',
  'Quieter than the old one: the new espresso machine.',
]

const id = process.env['MANDATE_MODEL']
/** The model: the one that MANDATE_MODEL names, such as `openai/gpt-5-mini`, or scripted replies, which need no key and no network. */
export const model: Model = id
  ? modelById(id, installedModels())
  : scripted((_, { position }) => replies[position % replies.length]!)
