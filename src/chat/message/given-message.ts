import { MandateError, checkFields, isBase64, isRecord, toPlain } from '../../core/index.ts'
import type { FieldNames, JsonObject } from '../../core/index.ts'
import type { ChatMessage, ChatRole, MessageContent } from './chat-message.ts'

/** A message as callers pass it: a text, or a message whose missing fields are filled in. */
export type GivenMessage =
  | string
  | {
      readonly id?: string | undefined
      readonly role?: ChatRole | undefined
      readonly createdAt?: number | undefined
      readonly content: string | readonly MessageContent[]
      readonly metadata?: JsonObject | undefined
    }

const FIELDS: FieldNames<ChatMessage> = { id: true, role: 'text', createdAt: 'number', content: true, metadata: true }

interface Frame {
  /** The accepted roles; the first one is the default. */
  readonly roles: readonly [ChatRole, ...ChatRole[]]
  readonly newId: () => string
  readonly now: () => number
  /** An answer may have no text: a turn that was cancelled, or whose answer is a file. */
  readonly mayBeEmpty?: boolean | undefined
}

/** Validates a message from outside: only text, images and files. Calls and results come from models and tools. */
export function readMessage(given: GivenMessage, { roles, newId, now, mayBeEmpty = false }: Frame): ChatMessage {
  const message = typeof given === 'string' ? { content: given } : given
  if (!isRecord(message)) throw invalid('is neither a text nor a message')
  checkFields(message, 'a field of a message', FIELDS, 'INPUT_INVALID')
  const { id = newId(), role = roles[0], createdAt = now(), content, metadata } = message
  if (!roles.includes(role)) throw invalid(`has the role ${JSON.stringify(role)}. Use one of: ${roles.join(', ')}`)
  if (typeof id !== 'string' || id === '') throw invalid('has an `id` that is no text')
  if (typeof createdAt !== 'number' || !Number.isFinite(createdAt))
    throw invalid('has a `createdAt` that is no time. Give milliseconds since 1970')
  const { value: plain, issues } = toPlain(metadata ?? null)
  if (issues.length > 0 || (plain !== null && !isRecord(plain))) throw invalid('has `metadata` that is no plain object')
  const said: ChatMessage = { id, role, createdAt, content: readContent(content, mayBeEmpty) }
  return plain === null ? said : { ...said, metadata: plain }
}

function readContent(content: unknown, mayBeEmpty: boolean): readonly MessageContent[] {
  if (typeof content === 'string' && (content !== '' || mayBeEmpty)) return [{ type: 'text', text: content }]
  const { value } = toPlain(content)
  const parts = Array.isArray(value) ? (value as unknown as readonly Partial<MessageContent>[]) : []
  const said = parts.length > 0 && (mayBeEmpty || parts.some((part) => part?.type !== 'text' || part.text !== ''))
  if (said && parts.every(isSaidPart)) return parts as readonly MessageContent[]
  throw invalid(
    'needs `content`: a text, or a list of { type: "text", text } and { type: "image" or "file", mediaType, and data in base64 or a url }',
  )
}

/** Whether a part is valid. A file that no model can be shown would make every later turn of the conversation fail. */
export function isSaidPart(part: Partial<MessageContent> | null): boolean {
  if (part?.type === 'text') return typeof part.text === 'string'
  if (part?.type !== 'image' && part?.type !== 'file') return false
  const { mediaType, data, url, blob } = part
  if (typeof mediaType !== 'string' || mediaType === '') return false
  if (data !== undefined) return typeof data === 'string' && isBase64(data)
  return url === undefined ? isRecord(blob) : typeof url === 'string' && URL.canParse(url)
}

function invalid(what: string): MandateError {
  return new MandateError('INPUT_INVALID', `The message ${what}.`)
}
