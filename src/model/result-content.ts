import { type Json, type JsonObject, type Media, base64Bytes, replaceMedia } from '../core/index.ts'
import type { MediaPart, TextPart, ToolResultPart } from './message.ts'

/** An image or file in a result, with its place. */
interface Shown {
  readonly media: MediaPart
  /** Its handle: the id of the call and a JSON pointer into its value. */
  readonly handle: string
}

/** The content of a result: its text, and images and files, in reading order. */
export interface ResultContent {
  readonly pieces: readonly (TextPart | Shown)[]
}

/** Results are sent again with every turn, so each value with images or files is read once. */
const known = new WeakMap<object, ResultContent>()

/** The content of a result with images or files; `undefined` for any other. */
export function resultContent({ value, text, toolCallId, status }: ToolResultPart): ResultContent | undefined {
  if (text !== undefined || status !== 'ok' || value === null) return undefined
  if (typeof value !== 'object')
    return typeof value === 'string' && value.startsWith('data:') ? read(value, toolCallId) : undefined
  const found = known.get(value) ?? read(value, toolCallId)
  if (found !== undefined) known.set(value, found)
  return found
}

function read(value: Json, toolCallId: string): ResultContent | undefined {
  const all: Shown[] = []
  const rest = replaceMedia(value, (media, pointer) => {
    const handle = `${toolCallId}#${pointer}`
    all.push({ media: partOf(media), handle })
    return { shown: all.length, mediaType: media.mediaType }
  })
  if (all.length === 0) return undefined
  return { pieces: inOrder(value, rest, all) ?? [{ type: 'text', text: JSON.stringify(rest) }, ...all] }
}

/** A list of parts, as in MCP and the AI SDK, is read part by part; for any other value the text marks the place of each image. */
function inOrder(value: Json, rest: Json, all: readonly Shown[]): ResultContent['pieces'] | undefined {
  if (!Array.isArray(value)) return all.length === 1 && isShown(rest) ? all : undefined
  const pieces: (TextPart | Shown)[] = []
  for (const item of rest as readonly Json[]) {
    const { type, text } = (item ?? {}) as JsonObject
    if (isShown(item)) pieces.push(all[(item as { readonly shown: number }).shown - 1]!)
    else if (type === 'text' && typeof text === 'string') pieces.push({ type: 'text', text })
    else return undefined
  }
  return pieces
}

function isShown(item: Json): boolean {
  return typeof item === 'object' && item !== null && 'shown' in item && 'mediaType' in item
}

function partOf({ mediaType, data, blob, url, filename }: Media): MediaPart {
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'file',
    mediaType,
    ...(data !== undefined ? { data } : blob !== undefined ? { blob } : { url: url ?? '' }),
    ...(filename === undefined ? {} : { filename }),
  }
}

/** The note that replaces an image or file which a model does not accept: what it is, and where tools find it in the conversation. */
export function mediaNote({ media, handle }: Shown): string {
  const bytes = media.blob?.bytes ?? (media.data === undefined ? undefined : base64Bytes(media.data))
  const size = bytes === undefined ? '' : `, ${sizeText(bytes)}`
  const name = media.filename === undefined ? '' : ` "${media.filename.slice(0, 100)}"`
  return `[${media.mediaType}${name}${size}, not shown to this model: ${handle}]`
}

function sizeText(bytes: number): string {
  return bytes < 1_000
    ? `${bytes} bytes`
    : bytes < 1_000_000
      ? `${Math.round(bytes / 1_000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
}

/** A result as text alone, with images and files as notes. */
export function resultAsText(result: ToolResultPart): string {
  const { text, value } = result
  const content = resultContent(result)
  if (content !== undefined)
    return content.pieces.map((piece) => ('media' in piece ? mediaNote(piece) : piece.text)).join('\n')
  return text ?? (typeof value === 'string' ? value : JSON.stringify(value))
}
