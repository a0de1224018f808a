import type { Message, Part, ToolResultPart } from './message.ts'
import { resultContent } from './result-content.ts'
import type { ModelRequest } from './model.ts'

/** What a provider adds around a message, and around a call or result inside it. */
const PER_MESSAGE = 4
const PER_CALL = 8
/** About what large pictures cost with the providers that publish a rule. */
const PER_MEDIA = 1_600

/**
 * How many tokens a text or a transcript has, roughly and rather too many than too few: budgets are reserved with it before a call, and
 * settled with the provider's own count after it. It needs no tokenizer and gives the same number on every machine.
 *
 * Per character: letters and spaces 0.3, digits 0.5, other ASCII 0.6, everything else 1. English prose comes out about a third too
 * high; JSON and code about right; Chinese and Japanese a little too high. Pictures count 1,600; files 1,600 plus a token for each
 * 16 characters of their base64.
 */
export function estimateTokens(content: string | readonly Message[]): number {
  if (typeof content === 'string') return Math.ceil(weigh(content) / 10)
  let total = 0
  for (const message of content) {
    total += PER_MESSAGE
    for (const part of message.content) total += partTokens(part)
  }
  return total
}

/** The tokens of everything a model is asked: messages, tools and the wanted output's schema. */
export function estimateRequest(request: ModelRequest): number {
  let total = estimateTokens(request.messages)
  for (const tool of request.tools ?? []) total += PER_CALL + estimateTokens(JSON.stringify(tool))
  const format = request.responseFormat
  if (format?.type === 'json' && format.schema !== undefined) total += estimateTokens(JSON.stringify(format.schema))
  return total
}

function partTokens(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(part.text)
    case 'image':
      return PER_MEDIA
    case 'file':
      return PER_MEDIA + Math.ceil((part.data?.length ?? ((part.blob?.bytes ?? 0) * 4) / 3) / 16)
    case 'tool-call':
      return PER_CALL + estimateTokens(part.name) + estimateTokens(part.invalid ?? JSON.stringify(part.input))
    case 'tool-result':
      return PER_CALL + resultTokens(part)
    case 'custom':
      return estimateTokens(JSON.stringify(part.data))
    default:
      // A part of a kind newer than this code still costs what its text costs.
      return estimateTokens(JSON.stringify(part))
  }
}

/** Pictures and files of a result count as such, not as the text of their base64. */
function resultTokens(part: ToolResultPart): number {
  const content = resultContent(part)
  if (content === undefined) return estimateTokens(part.text ?? JSON.stringify(part.value))
  return content.pieces.reduce((sum, piece) => sum + partTokens('media' in piece ? piece.media : piece), 0)
}

/** Tenths of tokens. */
function weigh(text: string): number {
  let tenths = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 127) tenths += 10
    else if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32) tenths += 3
    else if (code >= 48 && code <= 57) tenths += 5
    else tenths += 6
  }
  return tenths
}
