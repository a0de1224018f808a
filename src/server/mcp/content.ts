import { isRecord } from '../../core/index.ts'
import type { Json, JsonObject } from '../../core/index.ts'
import type { CallToolResult, ContentBlock } from './protocol.ts'

/**
 * Converts a value to a tool result: a list of content parts to blocks, text to text, and other values to JSON text; an object is also returned as structured
 * content.
 */
export function resultOf(value: Json): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] }
  const blocks = blocksOf(value)
  if (blocks !== undefined) return { content: blocks }
  const text: ContentBlock = { type: 'text', text: JSON.stringify(value) }
  return isRecord(value) ? { content: [text], structuredContent: value } : { content: [text] }
}

export function failure(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true }
}

/** Returns the blocks of a list that contains only content parts; `undefined` for any other value. `connectMcp` returns such parts for tool results. */
function blocksOf(value: Json): ContentBlock[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  const blocks = value.map((part: Json) => (isRecord(part) ? blockOf(part) : undefined))
  return blocks.every((block) => block !== undefined) ? blocks : undefined
}

function blockOf(part: JsonObject): ContentBlock | undefined {
  const text = (field: string): string => (typeof part[field] === 'string' ? part[field] : '')
  switch (part['type']) {
    case 'text':
      return typeof part['text'] === 'string' ? { type: 'text', text: part['text'] } : undefined
    case 'image':
    case 'audio':
      if (text('data') === '' || text('mediaType') === '') return undefined
      return { type: part['type'], data: text('data'), mimeType: text('mediaType') }
    case 'resource': {
      const about = { uri: text('uri'), ...(text('mediaType') === '' ? {} : { mimeType: text('mediaType') }) }
      const body = typeof part['text'] === 'string' ? { text: part['text'] } : { blob: text('data') }
      return about.uri === '' ? undefined : { type: 'resource', resource: { ...about, ...body } }
    }
    case 'resource-link':
      if (text('uri') === '') return undefined
      return {
        type: 'resource_link',
        uri: text('uri'),
        name: text('name') || text('uri'),
        ...(text('description') === '' ? {} : { description: text('description') }),
        ...(text('mediaType') === '' ? {} : { mimeType: text('mediaType') }),
      }
    default:
      return undefined
  }
}
