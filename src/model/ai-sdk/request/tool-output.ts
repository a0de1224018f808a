import type { MediaPart, ToolResultPart } from '../../message.ts'
import { type ResultContent, mediaNote, resultContent } from '../../result-content.ts'
import { sentFile } from '../file-data.ts'
import type { SpecVersion } from '../spec.ts'

/** A part of an output, of which only texts are processed further. */
interface Typed {
  readonly type: string
  readonly text?: string
  readonly [field: string]: unknown
}

/** The request's recipient: the provider and its interface. */
export interface Recipient {
  readonly version: SpecVersion
  /** The provider's own name for its interface, such as `openai.responses`. */
  readonly api: string
  /** The model's input modalities besides text, if known. */
  readonly modalities?: readonly string[] | undefined
}

const PICTURES = /^image\//
const DOCUMENTS = /^(image\/|application\/pdf$)/
const ALL = /./

/** Interfaces that accept images and files inside results, with the media types. For others the AI SDK would convert them to text, including base64. */
const IN_RESULTS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(anthropic|vertex\.anthropic|google-vertex\.anthropic)/, DOCUMENTS],
  [/^(openai|azure|azure-openai)\.responses/, DOCUMENTS],
  [/^(google|vertex|google-vertex)/, ALL],
  [/^(amazon-bedrock|bedrock)/, PICTURES],
]

/** How an image or file of a result is sent to a model: inside the result, in a message after it, or as a note. */
function wayOf(part: MediaPart, { api, modalities }: Recipient): 'result' | 'message' | 'note' {
  const kind = part.type
  if (modalities !== undefined && !modalities.includes(kind)) return 'note'
  const taken = IN_RESULTS.find(([name]) => name.test(api))?.[1]
  if (taken !== undefined) return taken.test(part.mediaType) ? 'result' : 'note'
  return modalities !== undefined && DOCUMENTS.test(part.mediaType) ? 'message' : 'note'
}

/** The output of a result with those images and files that are sent inside it. */
function contentOutput({ pieces }: ResultContent, recipient: Recipient): object {
  const value = pieces.map((piece): Typed => {
    if (!('media' in piece)) return { type: 'text', text: piece.text }
    const way = wayOf(piece.media, recipient)
    if (way === 'result') return sentInResult(piece.media, recipient.version)
    const text = way === 'note' ? mediaNote(piece) : `[${piece.media.mediaType}: in the next message]`
    return { type: 'text', text }
  })
  const isText = value.every(({ type }) => type === 'text')
  if (!isText) return { type: 'content', value }
  return { type: 'text', value: value.map((one) => one.text).join('\n') }
}

/** The images and files that follow in a message of their own. */
export function behindResult({ pieces }: ResultContent, recipient: Recipient): object[] {
  return pieces.flatMap((piece) =>
    'media' in piece && wayOf(piece.media, recipient) === 'message' ? [sentFile(piece.media, recipient.version)] : [],
  )
}

/** The form of a file in a result differs between specifications. */
function sentInResult(part: MediaPart, version: SpecVersion): Typed {
  const { data, url, mediaType, filename } = part
  if (version === 'v4') return { ...sentFile(part, version), type: 'file' }
  if (version === 'v2') return { type: 'media', data: data ?? '', mediaType }
  const kind = part.type === 'image' ? 'image' : 'file'
  if (data === undefined) return { type: `${kind}-url`, url: url ?? '' }
  const name = kind === 'image' || filename === undefined ? {} : { filename }
  return { type: `${kind}-data`, data, mediaType, ...name }
}

/** The output of a tool call. Only v2 has no type for a denial. */
export function toolOutput(result: ToolResultPart, recipient: Recipient): object {
  const { status, text, value } = result
  const { version } = recipient
  const content = result.providerExecuted === true ? undefined : resultContent(result)
  if (content !== undefined) return contentOutput(content, recipient)
  const said = text ?? (typeof value === 'string' ? value : undefined)
  if (status === 'denied' && version !== 'v2' && said !== undefined) return { type: 'execution-denied', reason: said }
  // A result of the provider itself is read back by its own code, which recognizes failures by their original form.
  if (status === 'error' && result.providerExecuted === true) return { type: 'error-json', value }
  const form = said === undefined ? 'json' : 'text'
  return { type: status === 'ok' ? form : `error-${form}`, value: said ?? value }
}
