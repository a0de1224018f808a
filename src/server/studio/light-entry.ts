import type { Json, JsonObject } from '../../core/index.ts'
import type { Entry } from '../../journal/index.ts'

/** The number of entries that are requested first: enough to fill a window. */
const FIRST_PAGE = 200

/** Returns the address of the first entries of a run, by its URL-encoded id. The page requests the same address that its preload header contains. */
export function outlinePath(encodedRunId: string, from = 1, limit: number = FIRST_PAGE): string {
  return `/api/runs/${encodedRunId}/outline?from=${from}&limit=${limit}`
}

/** Texts of up to this many characters are not cut. */
const WHOLE = 160
/** The same limit for the first and the last entry of a run, because the head of its page shows the prompt and the answer. */
export const WHOLE_ENDS = 640

/** Members of entries that contain data of users, models and tools, of any size. */
const LARGE = new Set(['input', 'value', 'shown', 'output', 'message', 'edit', 'info', 'intent'])
/** Members that lists do not need. */
const LEFT_OUT = new Set(['pins', 'blobs', 'hash', 'asked', 'signature', 'binding', 'seed', 'reserved', 'activeMs'])

/**
 * Returns an entry for lists and timelines, with large members cut to their beginning (`{ $preview, $bytes }`). It folds like the full entry, which can be
 * requested separately. With `whole` no member is left out, and only values above that size are cut.
 */
export function lightEntry({ seq, at, type, key, data }: Entry, whole?: number): JsonObject {
  // A request for one entry needs all its data; only very large values are cut.
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
  // The active time of a suspension or an end is part of its meaning, so it is kept.
  const told =
    type === 'run-suspend' || type === 'run-end'
      ? { activeMs: (data as { activeMs?: number } | null)?.activeMs ?? 0 }
      : {}
  return { seq, at, type, ...(key === undefined ? {} : { key }), data: cut === null ? null : { ...cut, ...told } }
}

/** Returns the value with every text in it cut to `whole` characters, and long lists that exceed this size as JSON replaced by a preview. */
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

/** Returns the text in a model's reply, a run's prompt or its answer, which is a more useful preview than JSON; `undefined` for other values. */
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
