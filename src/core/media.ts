import { memberPointer } from './json-pointer.ts'
import type { Json, JsonObject } from './json.ts'

/** A reference to the bytes of a large file beside the journal, by their SHA-256. */
export type BlobRef = {
  readonly hash: string
  readonly bytes: number
}

/** An image, a sound or a file inside a value: its bytes in base64, or a reference to them. */
export interface Media {
  readonly mediaType: string
  readonly data?: string | undefined
  readonly blob?: BlobRef | undefined
  readonly url?: string | undefined
  readonly filename?: string | undefined
}

/** The size up to which images and files are part of an entry; larger ones are kept beside the journal. */
export const MEDIA_BYTES_MAX = 4_000_000

const DATA_URL = /^data:([a-z]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,/i
/** Excludes text, which is never treated as a file. */
const MEDIA_TYPE = /^(?!text\/|application\/json)[a-z]+\/[\w.+*-]+$/i
const DEPTH_MAX = 20

/**
 * The image or file in a value, in the forms in which tools return them: `{ type: 'image' | 'audio' | 'file' | …, mediaType, data }` of MCP, the AI
 * SDK and this package, `{ type: 'image', source }` of Anthropic, `{ type: 'image_url', image_url }` of OpenAI, and data URLs.
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
  // A URL in a result is usually just mentioned; only these forms stand for its content.
  const isMeant = type === 'image-url' || type === 'file-url' || type === 'url'
  return isMeant && typeof url === 'string' ? { mediaType: said, url, ...more } : undefined
}

function blobRef(given: Json | undefined): BlobRef | undefined {
  const { hash, bytes } = (given ?? {}) as Partial<Record<keyof BlobRef, unknown>>
  const isRef = typeof hash === 'string' && /^[0-9a-f]{64}$/.test(hash) && typeof bytes === 'number'
  return isRef ? { bytes, hash } : undefined
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

/**
 * Whether a text is base64, in either alphabet. Searches for an invalid character, because an expression that matches the whole of a long text can
 * overflow the stack.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.slice(0, text.length - padding)
  return digits !== '' && !/[^A-Za-z0-9+/_-]/.test(digits)
}

/** The approximate number of bytes that base64 decodes to. */
export function base64Bytes(data: string): number {
  return Math.floor((data.length * 3) / 4)
}

/** Decodes base64 of either alphabet; throws if it is invalid. */
export function fromBase64(data: string): Uint8Array<ArrayBuffer> {
  const binary = atob(data.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=')
const PADDING = 64

/** Encodes bytes as base64. Implemented here, because the portable alternative (`btoa` of a string of characters) is many times slower for large files. */
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
 * A copy of a value in which `replace` has replaced every image and file; the value itself if there is none. `pointer` is the JSON pointer of the
 * file, built only when one is found, because most values are large tables without files.
 */
export function replaceMedia(value: Json, replace: ReplaceMedia): Json {
  if (typeof value === 'object' && value !== null && bare.has(value)) return value
  let isBare = true
  const noticed: ReplaceMedia = (media, pointer, given) => {
    isBare = false
    return replace(media, pointer, given)
  }
  const replaced = mayHoldMedia(value, 0) ? replaceBelow(value, { replace: noticed, path: [], length: 0 }) : value
  if (isBare && typeof value === 'object' && value !== null && Object.isFrozen(value)) bare.add(value)
  return replaced
}

/** Whether a value has any of the marks that every image and file has: a fast check that excludes large tables. */
function mayHoldMedia(value: Json, depth: number): boolean {
  if (typeof value === 'string') return value.startsWith('data:')
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return false
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => mayHoldMedia(item, depth + 1))
  const record = value as JsonObject
  for (const name in record) if (name === 'type' || mayHoldMedia(record[name]!, depth + 1)) return true
  return false
}

/** Frozen values without images and files. Results are sent again with every turn, so large ones are scanned once. */
const bare = new WeakSet<object>()

type ReplaceMedia = (media: Media, pointer: string, given: Json) => Json

interface MediaWalk {
  readonly replace: ReplaceMedia
  /** The path of the value, outermost name first, and its length in characters. */
  readonly path: (string | number)[]
  length: number
}

/** The maximum length of a path; deeper values are not scanned. */
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
  // A member without children needs no path.
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
