import { type Json, type JsonObject, MandateError, toPlain } from '../../core/index.ts'

/** A server's reply to a call, not validated. */
export interface RawResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** Larger images, sounds and files are named and not kept: half of one is useless. A message has room for about one of this size. */
const MEDIA_BYTES = 2_500_000
const BLOCKS_MAX = 200

/**
 * The result of a call as plain data: the structured content if there is one, the text if there is only text, otherwise the list of parts. Throws for
 * an error result.
 */
export function resultOf(raw: RawResult, tool: string): Json {
  const blocks = Array.isArray(raw.content) ? (raw.content as readonly unknown[]) : []
  const parts = blocks.slice(0, BLOCKS_MAX).map(partOf)
  if (blocks.length > BLOCKS_MAX) parts.push({ type: 'text', text: `[cut: ${blocks.length - BLOCKS_MAX} more parts]` })
  const isText = parts.every(({ type }) => type === 'text')
  const text = parts.flatMap((part) => (part['type'] === 'text' ? [textOf(part['text'])] : [])).join('\n')
  if (raw.isError === true)
    throw new MandateError('TOOL_FAILED', text === '' ? `"${tool}" failed and did not say why.` : text.slice(0, 8_000))
  if (raw.structuredContent !== undefined) {
    const structured = toPlain(raw.structuredContent).value
    // If the text only repeats the structured content it is left out.
    return isText ? structured : { structured, content: parts.filter(({ type }) => type !== 'text') }
  }
  return isText ? text : parts
}

function partOf(block: unknown): JsonObject {
  const { type, text, data, mimeType, uri, name, description, resource } = fieldsOf(block)
  switch (type) {
    case 'text':
      return { type: 'text', text: textOf(text) }
    case 'image':
    case 'audio':
      return { type, mediaType: textOf(mimeType), ...mediaOf(textOf(data)) }
    case 'resource': {
      const inner = fieldsOf(resource)
      const content = inner.text === undefined ? mediaOf(textOf(inner.blob)) : { text: textOf(inner.text) }
      return { type: 'resource', uri: textOf(inner.uri), mediaType: textOf(inner.mimeType), ...content }
    }
    case 'resource_link':
      return {
        type: 'resource-link',
        uri: textOf(uri),
        name: textOf(name),
        ...(description === undefined ? {} : { description: textOf(description) }),
        ...(mimeType === undefined ? {} : { mediaType: textOf(mimeType) }),
      }
    default:
      return { type: 'unknown', said: textOf(type).slice(0, 64) }
  }
}

function mediaOf(data: string): JsonObject {
  const bytes = Math.floor((data.length * 3) / 4)
  if (bytes > MEDIA_BYTES) return { bytes, omitted: `larger than ${MEDIA_BYTES} bytes` }
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(data)) return { bytes, omitted: 'not base64' }
  return { data, bytes }
}

type Fields = { readonly [field: string]: unknown }

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed() : ''
}
