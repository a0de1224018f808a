import type { Json, JsonObject } from '../../core/index.ts'
import type { Entry } from '../../journal/index.ts'

/** Enough to fill a window: what is looked at first is there first. */
const FIRST_PAGE = 200

/** Where the first entries of a run are, by its id as addresses have it. The page asks for exactly what was named with it. */
export function outlinePath(encodedRunId: string, from = 1, limit: number = FIRST_PAGE): string {
  return `/api/runs/${encodedRunId}/outline?from=${from}&limit=${limit}`
}

/** Texts of up to this many characters are given whole. */
const WHOLE = 160
/** What a run was asked and what it answered is read in the head of its page: two entries of a run have more room. */
export const WHOLE_ENDS = 640

/** Members of entries that hold what users, models and tools said, of any size. */
const LARGE = new Set(['input', 'value', 'shown', 'output', 'message', 'edit', 'info', 'intent'])
/** Members that no list needs. */
const LEFT_OUT = new Set(['pins', 'blobs', 'hash', 'asked', 'signature', 'binding', 'seed', 'reserved', 'activeMs'])

/**
 * An entry for lists and timelines: everything that says what happened, with what is large cut to its beginning (`{ $preview, $bytes }`). It folds as the
 * whole entry does; the whole is one request away.
 */
export function lightEntry({ seq, at, type, key, data }: Entry, whole?: number): JsonObject {
  // Who looks at one entry wants all that it says; only what is very large is cut.
  if (whole !== undefined)
    return {
      seq,
      at,
      type,
      ...(key === undefined ? {} : { key }),
      data: data === null ? null : cutAll(data as unknown as Json, whole),
    }
  const room = type === 'run-start' || type === 'run-end' ? WHOLE_ENDS : WHOLE
  const cut = data === null ? null : cutMembers(data as unknown as JsonObject, room)
  // The time that a suspension or an end says is part of what it means.
  const told =
    type === 'run-suspend' || type === 'run-end'
      ? { activeMs: (data as { activeMs?: number } | null)?.activeMs ?? 0 }
      : {}
  return { seq, at, type, ...(key === undefined ? {} : { key }), data: cut === null ? null : { ...cut, ...told } }
}

/** The value with every text in it cut to so many characters, and every list to so many items. */
function cutAll(value: Json, whole: number): Json {
  if (typeof value === 'string') return cutValue(value, whole)
  if (Array.isArray(value))
    return value.length > whole / 64 ? cutValue(value, whole) : value.map((item: Json) => cutAll(item, whole))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutAll(member ?? null, whole)]))
}

function cutMembers(members: JsonObject, room: number): JsonObject {
  const kept: Record<string, Json> = {}
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined || LEFT_OUT.has(name)) continue
    kept[name] = LARGE.has(name) ? cutValue(value, room) : isObject(value) ? cutMembers(value, room) : cutText(value)
  }
  return kept
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cutText(value: Json): Json {
  return typeof value === 'string' && value.length > 10 * WHOLE ? `${value.slice(0, 10 * WHOLE)}…` : value
}

/** What was said, where the value is the reply of a model, the prompt of a run or its answer: that is what people look for. */
export function spoken(value: Json): string | undefined {
  if (!isObject(value)) return undefined
  const { lastText, message = value['prompt'] } = value
  if (typeof lastText === 'string') return lastText
  const content = message !== undefined && isObject(message) ? message['content'] : undefined
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  const said = (content as readonly Json[]).flatMap((part) => {
    if (!isObject(part)) return []
    const { type, text, name, toolName = name, input } = part
    if (type === 'text' && typeof text === 'string') return [text]
    return type === 'tool-call' && typeof toolName === 'string' ? [`${toolName}(${JSON.stringify(input ?? null)})`] : []
  })
  return said.length === 0 ? undefined : said.join(' ')
}

function cutValue(value: Json, whole: number): Json {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= whole ? value : { $preview: (spoken(value) ?? text).slice(0, whole), $bytes: text.length }
}
