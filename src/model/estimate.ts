import type { Json, JsonObject } from '../core/index.ts'
import type { Message, Part, ToolResultPart } from './message.ts'
import { resultContent } from './result-content.ts'
import type { ModelRequest } from './model.ts'

/** The overhead of a message in tokens, and of a call or result inside it. */
const PER_MESSAGE = 4
const PER_CALL = 8
/** The approximate cost of large images for providers that publish a rule. */
const PER_MEDIA = 1_600

/**
 * Estimates the tokens of a text or a transcript, rather too many than too few: budgets reserve by it before a call, and settle with the provider's
 * own count after it. Needs no tokenizer and gives the same number on every machine.
 *
 * Per character: letters and spaces 0.3, digits 0.5, other ASCII 0.6, everything else 1. English prose is about a third too high; JSON and code about
 * right; Chinese and Japanese a little too high. Images count 1,600; files 1,600 plus a token for each 16 characters of their base64.
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

/** The tokens of a whole request: messages, tools and output schema. */
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
      // An unknown kind of part counts by its text.
      return estimateTokens(JSON.stringify(part))
  }
}

/** Images and files of a result count as such, not as the text of their base64. */
function resultTokens(part: ToolResultPart): number {
  const content = resultContent(part)
  if (content === undefined) return part.text === undefined ? valueTokens(part.value) : estimateTokens(part.text)
  return content.pieces.reduce((sum, piece) => sum + partTokens('media' in piece ? piece.media : piece), 0)
}

/** Results are sent again with every turn, so each frozen one is measured once. */
const weighed = new WeakMap<object, number>()

function valueTokens(value: Json): number {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return Math.ceil(weighJson(value) / 10)
  const known = weighed.get(value) ?? Math.ceil(weighJson(value) / 10)
  weighed.set(value, known)
  return known
}

/** Tenths of tokens of a value's JSON, without serializing it: results may be large. */
function weighJson(value: Json): number {
  if (typeof value === 'string') return QUOTES + weighQuoted(value)
  if (typeof value !== 'object' || value === null) return weigh(String(value))
  let tenths = BRACKETS
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) {
      count += 1
      tenths += weighJson(item)
    }
  } else {
    const record = value as JsonObject
    for (const name in record) {
      const member = record[name]
      if (member === undefined) continue
      count += 1
      tenths += QUOTES + weighQuoted(name) + COLON + weighJson(member)
    }
  }
  return tenths + Math.max(0, count - 1) * COMMA
}

/** The punctuation of JSON: each character counts 6. */
const [QUOTES, BRACKETS, COLON, COMMA] = [12, 12, 6, 6]

/** A text inside quotes, as JSON writes it. */
function weighQuoted(text: string): number {
  let tenths = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 128) tenths += QUOTED[code]!
    // Lone surrogates are escaped.
    else if (code >= 0xd800 && code <= 0xdfff) return weigh(JSON.stringify(text)) - QUOTES
    else tenths += 10
  }
  return tenths
}

/** Tenths of tokens. */
function weigh(text: string): number {
  let tenths = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    tenths += code < 128 ? PLAIN[code]! : 10
  }
  return tenths
}

/** The weight of each ASCII character in tenths of tokens: by itself, and inside the quotes of JSON. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 32) return 3
  return code >= 48 && code <= 57 ? 5 : 6
})
const QUOTED = PLAIN.map((_, code) => weigh(JSON.stringify(String.fromCharCode(code)).slice(1, -1)))
