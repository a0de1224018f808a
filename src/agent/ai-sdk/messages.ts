import { MandateError, toBase64, toPlain } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { MediaPart, Message, Part, ProviderMetadata, ToolResultPart } from '../../model/index.ts'
import type { AiSdkMessage } from './agent-shapes.ts'

/** A part of an AI SDK message. Nothing is validated: clients send it. */
interface TheirPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly image?: unknown
  readonly data?: unknown
  readonly mediaType?: unknown
  readonly filename?: unknown
  readonly kind?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
  readonly output?: unknown
  readonly providerExecuted?: unknown
  readonly providerOptions?: unknown
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant', 'tool']

/** Converts messages of the AI SDK. Approvals are not part of a conversation and are left out. */
export function messagesFrom(given: readonly AiSdkMessage[]): readonly Message[] {
  return given.flatMap((one, index): Message[] => {
    if (!ROLES.includes(one?.role))
      throw new MandateError('INPUT_INVALID', `Message ${index} has no role that is known.`)
    const { role, content } = one as { role: Message['role']; content: string | readonly TheirPart[] }
    if (typeof content === 'string') return [{ role, content: [{ type: 'text', text: content }] }]
    if (!Array.isArray(content)) throw new MandateError('INPUT_INVALID', `Message ${index} has no content.`)
    const parts = content.flatMap((part: TheirPart) => partFrom(part))
    return parts.length === 0 ? [] : [{ role, content: parts }]
  })
}

function partFrom(part: TheirPart): readonly Part[] {
  const body = bodyFrom(part)
  if (body === undefined) return []
  const providerMetadata = metadataFrom(part.providerOptions)
  return [providerMetadata === undefined ? body : { ...body, providerMetadata }]
}

function bodyFrom(part: TheirPart): Part | undefined {
  switch (part?.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: text(part.text) }
    case 'image':
      return mediaFrom(part.image, text(part.mediaType) || 'image/*', undefined)
    case 'file':
      return mediaFrom(part.data, text(part.mediaType), part.filename)
    case 'tool-call': {
      const call = {
        toolCallId: text(part.toolCallId),
        name: text(part.toolName),
        input: toPlain(part.input ?? {}).value,
      }
      return { type: 'tool-call', ...call, ...(part.providerExecuted === true ? { providerExecuted: true } : {}) }
    }
    case 'tool-result':
      return {
        type: 'tool-result',
        toolCallId: text(part.toolCallId),
        name: text(part.toolName),
        ...outputFrom(part.output),
      }
    case 'custom':
      return { type: 'custom', kind: text(part.kind), data: {} }
    default:
      return undefined
  }
}

/** The result of a tool, by its type. */
export function outputFrom(given: unknown): Pick<ToolResultPart, 'status' | 'value'> {
  const { type, value, reason } = (given ?? {}) as { type?: unknown; value?: unknown; reason?: unknown }
  if (type === 'execution-denied') return { status: 'denied', value: text(reason) || 'The call was denied.' }
  const isError = type === 'error-text' || type === 'error-json'
  return { status: isError ? 'error' : 'ok', value: toPlain(value).value }
}

/** An image or file in any of the AI SDK's forms: tagged, or bare bytes, base64 or a URL. */
function mediaFrom(given: unknown, mediaType: string, filename: unknown): MediaPart | undefined {
  const content = contentFrom(given)
  if (content === undefined) return undefined
  const name = typeof filename === 'string' ? { filename } : {}
  return { type: mediaType.startsWith('image') ? 'image' : 'file', mediaType, ...content, ...name }
}

function contentFrom(given: unknown): { readonly data: string } | { readonly url: string } | undefined {
  if (given instanceof URL) return { url: given.href }
  if (typeof given === 'string') return /^(https?|data):/.test(given) ? { url: given } : { data: given }
  if (given instanceof Uint8Array) return { data: toBase64(given) }
  if (given instanceof ArrayBuffer) return { data: toBase64(new Uint8Array(given)) }
  const tagged = (given ?? {}) as { type?: unknown; data?: unknown; url?: unknown; text?: unknown }
  if (tagged.type === 'data') return contentFrom(tagged.data)
  if (tagged.type === 'url') return { url: String(tagged.url) }
  return tagged.type === 'text' ? { data: toBase64(new TextEncoder().encode(text(tagged.text))) } : undefined
}

/** The metadata key under which parts of a call carry this package's data to the client and back. It is not sent to providers. */
export const OWN_METADATA = 'mandate'

function metadataFrom(given: unknown): ProviderMetadata | undefined {
  const { value } = toPlain(given ?? {})
  const records = Object.entries(value as Record<string, Json>).filter(
    (entry): entry is [string, JsonObject] =>
      entry[0] !== OWN_METADATA && typeof entry[1] === 'object' && entry[1] !== null,
  )
  return records.length === 0 ? undefined : Object.fromEntries(records)
}

function text(given: unknown): string {
  return typeof given === 'string' ? given : ''
}
