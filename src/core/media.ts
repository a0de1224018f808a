import { memberPointer } from './json-pointer.ts'
import type { Json, JsonObject } from './json.ts'

/** Where the bytes of a large file are: beside the journal, under their SHA-256. */
export type BlobRef = {
  readonly hash: string
  readonly bytes: number
}

/** A picture, a sound or a file inside a value: its bytes in base64, or where they are. */
export interface Media {
  readonly mediaType: string
  readonly data?: string | undefined
  readonly blob?: BlobRef | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
}

/** Entries of a journal hold no more of pictures and files than this; what is larger is kept beside it. */
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
  const inUrl = typeof url === 'string' ? ofDataUrl(url) : undefined
  if (inUrl !== undefined) return { ...inUrl, ...more }
  const blob = blobRef(fields['blob'])
  if (blob !== undefined) return { mediaType: said, blob, ...more }
  // An address in a result is mostly one that is talked about; only these forms mean what is there.
  const isMeant = type === 'image-url' || type === 'file-url' || type === 'url'
  return isMeant && typeof url === 'string' ? { mediaType: said, url, ...more } : undefined
}

function blobRef(given: Json | undefined): BlobRef | undefined {
  const { hash, bytes } = (given ?? {}) as Partial<Record<keyof BlobRef, unknown>>
  const isRef = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && typeof bytes === 'number'
  return isRef ? { hash, bytes } : undefined
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

/** Whether a text is base64, in either alphabet. Looks for what is not: an expression that matches the whole of a long text can exhaust the stack. */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.slice(0, text.length - padding)
  return digits !== '' && !/[^A-Za-z0-9+/_-]/.test(digits)
}

/** About how many bytes base64 stands for. */
export function base64Bytes(data: string): number {
  return Math.floor((data.length * 3) / 4)
}

/** The bytes that base64 stands for, in either alphabet; throws for what is none. */
export function fromBase64(data: string): Uint8Array<ArrayBuffer> {
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=')
const PADDING = 64

/** Bytes as base64. By hand, because what every platform has (`btoa` over a text of characters) takes many times as long for large files. */
export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(ALPHABET[PADDING]!)
  const whole = bytes.length - (bytes.length % 3)
  let to = 0
  for (let at = 0; at < whole; at += 3) {
    const word = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    text[to++] = ALPHABET[word >> 18]!
    text[to++] = ALPHABET[(word >> 12) & 63]!
    text[to++] = ALPHABET[(word >> 6) & 63]!
    text[to++] = ALPHABET[word & 63]!
  }
  if (whole < bytes.length) {
    const [first, second = 0] = bytes.subarray(whole)
    text[to] = ALPHABET[first! >> 2]!
    text[to + 1] = ALPHABET[((first! & 3) << 4) | (second >> 4)]!
    if (bytes.length - whole === 2) text[to + 2] = ALPHABET[(second & 15) << 2]!
  }
  return new TextDecoder().decode(text)
}

/**
 * A copy of a value in which every picture and file is replaced by what `replace` makes of it; the value itself where there is none. `pointer` is the JSON pointer of
 * its place; it is put together only for what is found, because most values are large tables without any.
 */
export function replaceMedia(value: Json, replace: ReplaceMedia): Json {
  if (typeof value === 'object' && value !== null && bare.has(value)) return value
  let isBare = true
  const noticed: ReplaceMedia = (media, pointer, given) => {
    isBare = false
    return replace(media, pointer, given)
  }
  const replaced = replaceBelow(value, { replace: noticed, path: [], length: 0 })
  if (isBare && typeof value === 'object' && value !== null && Object.isFrozen(value)) bare.add(value)
  return replaced
}

/** Frozen values without pictures and files. Results are sent again with every turn, and large ones are looked through once. */
const bare = new WeakSet<object>()

type ReplaceMedia = (media: Media, pointer: string, given: Json) => Json

interface MediaWalk {
  readonly replace: ReplaceMedia
  /** The names above the value, outermost first, and how long they are together. */
  readonly path: (string | number)[]
  length: number
}

/** So long may the names above a value be; what lies deeper is not looked at. */
const PATH_LENGTH_MAX = 1_000

function replaceBelow(value: Json, walk: MediaWalk): Json {
  if (typeof value !== 'object' && (typeof value !== 'string' || !value.startsWith('data:'))) return value
  const media = mediaOf(value)
  if (media !== undefined) return walk.replace(media, pointerOf(walk.path), value)
  if (typeof value !== 'object' || value === null) return value
  if (walk.path.length >= DEPTH_MAX || walk.length > PATH_LENGTH_MAX) return value
  return Array.isArray(value) ? replaceItems(value, walk) : replaceMembers(value as JsonObject, walk)
}

function replaceItems(list: readonly Json[], walk: MediaWalk): Json {
  let copy: Json[] | undefined
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!
    const made = replaceMember(item, index, walk)
    if (made !== item) (copy ??= [...list])[index] = made
  }
  return copy ?? list
}

function replaceMembers(record: JsonObject, walk: MediaWalk): Json {
  let changes: Map<string, Json> | undefined
  for (const name of Object.keys(record)) {
    const member = record[name]!
    const made = replaceMember(member, name, walk)
    if (made !== member) (changes ??= new Map()).set(name, made)
  }
  if (changes === undefined) return record
  return Object.fromEntries(Object.entries(record).map(([name, member]) => [name, changes.get(name) ?? member]))
}

function replaceMember(member: Json, name: string | number, walk: MediaWalk): Json {
  // A member without anything below it needs no place.
  if (typeof member !== 'object' && (typeof member !== 'string' || !member.startsWith('data:'))) return member
  const { length } = walk
  walk.path.push(name)
  walk.length += 1 + (typeof name === 'string' ? name.length : String(name).length)
  const made = replaceBelow(member, walk)
  walk.path.pop()
  walk.length = length
  return made
}

function pointerOf(path: readonly (string | number)[]): string {
  return path.reduce<string>((pointer, name) => memberPointer(pointer, String(name)), '')
}
