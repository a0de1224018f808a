import { toBase64 } from '../../core/index.ts'

/** The maximum depth at which images and files are found in results. */
const DEPTH_MAX = 20
const TEXT = /^(text\/|application\/json\b)/i

/**
 * The result of a tool with every `Uint8Array`, `Buffer`, `ArrayBuffer`, `Blob` and `File` in it replaced by a file: `{ type, mediaType, data }`, or
 * its base64 where it is already the `data` of a file. Returns the value itself, synchronously, if there is none.
 */
export function filesFromBytes(value: unknown): unknown {
  const found = isBinary(value) ? [value] : findBinary(value)
  if (found.length === 0) return value
  const blobs = found.filter((one) => one instanceof Blob)
  if (blobs.length === 0) return replaced(value, new Map(), undefined)
  return Promise.all(blobs.map(async (blob) => [blob, new Uint8Array(await blob.arrayBuffer())] as const)).then(
    (read) => replaced(value, new Map(read), undefined),
  )
}

type Binary = Uint8Array | ArrayBuffer | Blob

function isBinary(value: unknown): value is Binary {
  return value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof Blob
}

/** The binary data in lists, records, maps and sets. Getters that throw are left to the copy that is made of every result. */
function findBinary(value: unknown): readonly Binary[] {
  const found: Binary[] = []
  const above: object[] = []
  const look = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if (isBinary(part)) return void found.push(part)
    if (above.length >= DEPTH_MAX || above.includes(part)) return
    above.push(part)
    for (const member of membersOf(part)) look(member)
    above.pop()
  }
  try {
    look(value)
  } catch {
    return []
  }
  return found
}

function membersOf(part: object): Iterable<unknown> {
  if (Array.isArray(part) || part instanceof Set) return part
  if (part instanceof Map) return part.values()
  return isPlain(part) ? Object.values(part) : []
}

function isPlain(part: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}

type Read = ReadonlyMap<Blob, Uint8Array>
/** The parent object of a value, and its name there. */
interface Place {
  readonly owner: object
  readonly name: string
}

function replaced(part: unknown, read: Read, place: Place | undefined, above: readonly object[] = []): unknown {
  if (isBinary(part)) return fileOf(part, read, place)
  if (typeof part !== 'object' || part === null || above.length >= DEPTH_MAX || above.includes(part)) return part
  if (findBinary(part).length === 0) return part
  const below = (member: unknown, name: string): unknown =>
    replaced(member, read, { owner: part, name }, [...above, part])
  if (Array.isArray(part) || part instanceof Set) return [...part].map((item) => below(item, ''))
  const members = part instanceof Map ? [...part].map(([name, member]) => [String(name), member]) : Object.entries(part)
  return Object.fromEntries(members.map(([name, member]) => [name, below(member, name as string)]))
}

function fileOf(binary: Binary, read: Read, place: Place | undefined): unknown {
  const bytes =
    binary instanceof Blob ? read.get(binary)! : binary instanceof ArrayBuffer ? new Uint8Array(binary) : binary
  if (place !== undefined && isDataOfFile(place)) return toBase64(bytes)
  const mediaType = (binary instanceof Blob ? binary.type.split(';')[0]! : '') || sniffedType(bytes)
  if (TEXT.test(mediaType)) return new TextDecoder().decode(bytes)
  const filename = binary instanceof File && binary.name !== '' ? { filename: binary.name } : {}
  return { type: mediaType.startsWith('image/') ? 'image' : 'file', mediaType, data: toBase64(bytes), ...filename }
}

/** Whether the place is `data` of `{ type, mediaType, data }`, in one of its spellings. */
function isDataOfFile({ owner, name }: Place): boolean {
  const { type, mediaType, mimeType, media_type: spelt } = owner as Readonly<Record<string, unknown>>
  return name === 'data' && typeof type === 'string' && typeof (mediaType ?? mimeType ?? spelt) === 'string'
}

/** The first bytes of file types, in hexadecimal; a dot matches any digit. */
const MAGIC: readonly (readonly [start: RegExp, mediaType: string])[] = [
  [/^89504e470d0a1a0a/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^52494646.{8}57454250/, 'image/webp'],
  [/^255044462d/, 'application/pdf'],
  [/^52494646.{8}57415645/, 'audio/wav'],
  // An ID3 tag, or a frame of MPEG layer III without one.
  [/^(494433|fff[ab23]|ffe[23])/, 'audio/mpeg'],
]

/** The media type by the first bytes of a file. */
export function sniffedType(bytes: Uint8Array): string {
  const start = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return MAGIC.find(([pattern]) => pattern.test(start))?.[1] ?? 'application/octet-stream'
}
