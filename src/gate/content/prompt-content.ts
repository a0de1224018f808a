import type { Json } from '../../core/index.ts'
import type { Message, ModelRequest, Part } from '../../model/index.ts'
import { filterContent } from './content-filters.ts'
import type { ContentChange, ContentFilters } from './content-filters.ts'
import type { ContentRule } from '../mandate/guard-fields.ts'

interface FilteredMessage {
  readonly message: Message
  readonly changes: readonly ContentChange[]
  readonly blocked?: ContentChange | undefined
}

type FilteredRequest =
  | { readonly blocked: ContentChange }
  | { readonly blocked?: undefined; readonly request: ModelRequest; readonly changes: readonly ContentChange[] }

/** The filtered messages by list of rules. Messages are sent again with every turn, so each is filtered once. */
const seen = new WeakMap<readonly ContentRule[], WeakMap<Message, FilteredMessage>>()

interface PromptFilter {
  /** All content rules of one mandate: the key under which filtered messages are cached. */
  readonly all: readonly ContentRule[]
  /** The rules among them that apply to prompts. */
  readonly rules: readonly ContentRule[]
  readonly filters: ContentFilters | undefined
  /** The model. */
  readonly name: string
}

/** Filters everything that a model will read: texts, and the contents of calls and their results. */
export async function filterRequest(request: ModelRequest, filter: PromptFilter): Promise<FilteredRequest> {
  let known = seen.get(filter.all)
  if (known === undefined) seen.set(filter.all, (known = new WeakMap()))
  const messages: Message[] = []
  const changes: ContentChange[] = []
  for (const message of request.messages) {
    let filtered = known.get(message)
    if (filtered === undefined) known.set(message, (filtered = await filterMessage(message, filter)))
    if (filtered.blocked !== undefined) return { blocked: filtered.blocked }
    messages.push(filtered.message)
    changes.push(...filtered.changes)
  }
  return { request: changes.length === 0 ? request : { ...request, messages }, changes }
}

async function filterMessage(message: Message, filter: PromptFilter): Promise<FilteredMessage> {
  const changes: ContentChange[] = []
  const content: Part[] = []
  for (const part of message.content) {
    const field = fieldOf(part)
    if (field === undefined) {
      content.push(part)
      continue
    }
    const value = (part as unknown as { readonly [field: string]: Json })[field] ?? null
    const filtered = await filterContent(filter.rules, filter.filters, { place: 'prompt', name: filter.name, value })
    if (filtered.blocked !== undefined) return { message, changes, blocked: filtered.blocked }
    changes.push(...filtered.changes)
    content.push(filtered.changes.length === 0 ? part : withValue(part, field, filtered.value))
  }
  return { message: changes.length === 0 ? message : { ...message, content }, changes }
}

function fieldOf(part: Part): string | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return 'text'
    case 'tool-call':
      return 'input'
    case 'tool-result':
      return part.text === undefined ? 'value' : 'text'
    case 'image':
    case 'file':
    case 'custom':
      return undefined
  }
}

/** A text part stays text, whatever type a filter returned. */
function withValue(part: Part, field: string, value: Json): Part {
  const fits = field === 'text' && typeof value !== 'string' ? JSON.stringify(value) : value
  return { ...part, [field]: fits }
}
