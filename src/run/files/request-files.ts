import { isRecord, replaceMedia, toBase64 } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { Message, ModelRequest, Part } from '../../model/index.ts'

/** The hashes in each message. Messages are sent again with every turn, so each is scanned once. */
const hashes = new WeakMap<Message, readonly string[]>()

/** A request with the bytes of the files that the run keeps beside its journal. Returns the same request if there are none. */
export function withFiles(journal: Journal, run: string, request: ModelRequest): ModelRequest | Promise<ModelRequest> {
  const named = new Set(request.messages.flatMap(hashesIn))
  return named.size === 0 ? request : filled(journal, run, { request, named })
}

async function filled(
  journal: Journal,
  run: string,
  { request, named }: { readonly request: ModelRequest; readonly named: ReadonlySet<string> },
): Promise<ModelRequest> {
  const data = new Map<string, string>()
  for (const hash of named) {
    const bytes = await journal.readBlob?.(run, hash)
    if (bytes !== undefined) data.set(hash, toBase64(bytes))
  }
  const messages = request.messages.map((message) =>
    hashesIn(message).length === 0
      ? message
      : { ...message, content: message.content.map((part) => partWith(part, data)) },
  )
  return { ...request, messages }
}

function hashesIn(message: Message): readonly string[] {
  const known = hashes.get(message)
  if (known !== undefined) return known
  const found: string[] = []
  for (const part of message.content)
    replaceFiles(part, (hash, given) => {
      found.push(hash)
      return given
    })
  hashes.set(message, found)
  return found
}

function partWith(part: Part, data: ReadonlyMap<string, string>): Part {
  return replaceFiles(part, (hash, given, mediaType) => {
    const content = data.get(hash)
    if (content === undefined) return { type: 'text', text: `[${mediaType}: its content is not kept with this run]` }
    const { blob: _blob, ...rest } = isRecord(given) ? given : {}
    return { ...rest, data: content }
  })
}

/** Files appear in messages as parts, and in results of tools. What a model wrote into a call is text and is not replaced. */
function replaceFiles(part: Part, replace: (hash: string, given: Json, mediaType: string) => Json): Part {
  const inside = (value: Json): Json =>
    replaceMedia(value, ({ blob, mediaType }, _at, given) =>
      blob === undefined ? given : replace(blob.hash, given, mediaType),
    )
  if (part.type === 'image' || part.type === 'file') return inside(part) as Part
  return part.type === 'tool-result' ? { ...part, value: inside(part.value) } : part
}
