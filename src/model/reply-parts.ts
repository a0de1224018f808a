import type { Part } from './message.ts'
import type { ModelPart } from './model.ts'
import type { ModelReply } from './reply.ts'

/** A complete reply as the parts that fold to it: for answering from a recording. */
export function replyParts({ message, warnings, usage, finishReason, providerMetadata }: ModelReply): ModelPart[] {
  return [
    ...message.content.map((part, at) => partOf(part, String(at))),
    ...warnings.map((text): ModelPart => ({ type: 'warning', message: text })),
    { type: 'usage', usage },
    { type: 'finish', reason: finishReason, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
  ]
}

/** Neighbouring texts are distinguished by ids. */
function partOf(part: Part, id: string): ModelPart {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const { type, text, providerMetadata } = part
      return { type: `${type}-delta`, id, text, ...(providerMetadata === undefined ? {} : { providerMetadata }) }
    }
    case 'image':
    case 'file': {
      const { filename: _name, blob: _blob, ...rest } = part
      return { ...rest, type: 'file' }
    }
    case 'tool-result': {
      const { text: _text, status, providerExecuted: _by, ...rest } = part
      return { ...rest, status: status === 'ok' ? 'ok' : 'error' }
    }
    default:
      return part
  }
}
