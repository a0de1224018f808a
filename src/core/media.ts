import type { Json, JsonObject } from './json.ts'

/** A picture, a sound or a file inside a value: its bytes in base64, or its address. */
export interface Media {
  readonly mediaType: string
  readonly data?: string | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
}

/** A larger one is named and not kept: journals hold what was kept, and providers take no more. */
export const MEDIA_BYTES_MAX = 4_000_000

const DATA_URL = /^data:([a-z]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,/i
/** Text is text, however it is kept. */
const MEDIA_TYPE = /^(?!text\/|application\/json)[a-z]+\/[\w.+*-]+$/i
const DEPTH_MAX = 20

/**
 * The picture or file that a value is, in the forms that tools give it: `{ type: 'image' | 'audio' | 'file' | …, mediaType, data }` as MCP, the AI SDK and this
 * package write it, `{ type: 'image', source }` of Anthropic, `{ type: 'image_url', image_url }` of OpenAI, and data URLs.
 */
function mediaOf(value: Json): Media | undefined {
  if (typeof value === 'string') return ofDataUrl(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { type } = value as JsonObject
  if (typeof type !== 'string') return undefined
  return ofFields(value as JsonObject) ?? ofSource(value as JsonObject, type)
}

function ofFields(fields: JsonObject): Media | undefined {
  const { type, mediaType, mimeType, data, url, filename, name } = fields
  const said = mediaType ?? mimeType ?? (type === 'image-url' ? 'image/*' : undefined)
  if (typeof said !== 'string' || !MEDIA_TYPE.test(said)) return undefined
  const named = filename ?? name
  const more = typeof named === 'string' ? { filename: named } : {}
  if (typeof data === 'string') {
    const inner = ofDataUrl(data)
    if (inner !== undefined) return { ...inner, ...more }
    return isBase64(data) ? { mediaType: said, data, ...more } : undefined
  }
  if (typeof data === 'object' && data !== null && 'type' in data)
    return ofFields({ ...data, mediaType: said, ...more })
  // An address in a result is mostly one that is talked about; only these forms mean what is there.
  const isMeant = type === 'image-url' || type === 'file-url' || type === 'url'
  return isMeant && typeof url === 'string' ? { mediaType: said, url, ...more } : undefined
}

function ofSource({ source, image_url: image }: JsonObject, type: string): Media | undefined {
  if (type === 'image_url') {
    const { url } = (typeof image === 'string' ? { url: image } : (image ?? {})) as { readonly url?: Json }
    return typeof url === 'string' ? ofDataUrl(url) : undefined
  }
  const { media_type: mediaType, data } = (source ?? {}) as { readonly media_type?: Json; readonly data?: Json }
  const isWhole = typeof mediaType === 'string' && typeof data === 'string' && isBase64(data)
  return isWhole ? { mediaType, data } : undefined
}

function ofDataUrl(text: string): Media | undefined {
  if (!text.startsWith('data:')) return undefined
  const head = DATA_URL.exec(text.slice(0, 200))
  const data = head === null ? '' : text.slice(head[0].length)
  return head === null || !isBase64(data) ? undefined : { mediaType: head[1]!, data }
}

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)
}

/** About how many bytes base64 stands for. */
export function base64Bytes(data: string): number {
  return Math.floor((data.length * 3) / 4)
}

/** Bytes as base64; in pieces, because a call takes only so many arguments. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return btoa(binary)
}

/**
 * A copy of a value in which every picture and file is replaced by what `replace` makes of it; the value itself where there is none. `pointer` is the JSON pointer of
 * its place.
 */
export function replaceMedia(value: Json, replace: (media: Media, pointer: string) => Json, pointer = ''): Json {
  const media = mediaOf(value)
  if (media !== undefined) return replace(media, pointer)
  if (typeof value !== 'object' || value === null || pointer.length > 1_000) return value
  if (pointer.split('/').length > DEPTH_MAX) return value
  let isChanged = false
  const below = (member: Json, name: string): Json => {
    const made = replaceMedia(member, replace, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (made !== member) isChanged = true
    return made
  }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, index) => below(item, String(index)))
    return isChanged ? items : value
  }
  const members = Object.entries(value as JsonObject).map(([name, member]) => [name, below(member, name)] as const)
  return isChanged ? Object.fromEntries(members) : value
}
