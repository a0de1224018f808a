import {
  MEDIA_BYTES_MAX,
  MandateError,
  base64Bytes,
  isBase64,
  checkFields,
  fromBase64,
  toBase64,
} from '../../core/index.ts'
import type { FieldNames, RunLimits } from '../../core/index.ts'
import type { Journal } from '../../journal/index.ts'
import type { MediaPart, TextPart } from '../../model/index.ts'

/** A file of a prompt: its bytes (or their base64), or its URL. */
export interface RunFile {
  /** `image/png`, `application/pdf`, `text/markdown`, … */
  readonly mediaType: string
  /** The content, or its base64. */
  readonly data?: Uint8Array | string | undefined
  /** Its URL, in place of its content. */
  readonly url?: string | undefined
  /** Its name, for models that use it. */
  readonly filename?: string | undefined
}

const FIELDS: FieldNames<RunFile> = { mediaType: 'text', data: 'text|object', url: 'text', filename: 'text' }
/** The maximum size of a file, and the reason for it. */
export interface FileRoom {
  readonly maxBytes: number
  readonly why: string
}

const TEXT_HINT = 'It is put into the prompt as text: give the part that matters, or its `url` instead'

/** The maximum file size of a store: small for one that keeps entries alone. */
export function fileRoom(journal: Pick<Journal, 'writeBlob'>, { fileBytes }: Pick<RunLimits, 'fileBytes'>): FileRoom {
  if (journal.writeBlob !== undefined)
    return { maxBytes: fileBytes, why: 'Raise `limits.fileBytes`, or give its `url` instead' }
  const why = 'Give its `url` instead, or use a journal that keeps large files: of SQLite, Postgres or memory'
  return { maxBytes: Math.min(MEDIA_BYTES_MAX, fileBytes), why }
}

const TEXT = /^(text\/|application\/(json|xml|x-yaml|yaml|toml|javascript)\b)/

/** The files of a prompt as parts. Text files become text for every model; every other file becomes a part of its kind. */
export function readFiles(given: unknown, room: FileRoom): readonly (TextPart | MediaPart)[] {
  const files: unknown = given ?? []
  if (!Array.isArray(files)) throw invalid('`files` must be a list of { mediaType, data | url, filename? }')
  return files.map((file: unknown, index) => readFile(file, index, room))
}

function readFile(given: unknown, index: number, room: FileRoom): TextPart | MediaPart {
  const place = `\`files[${index}]\``
  if (typeof given !== 'object' || given === null)
    throw invalid(`${place} must be { mediaType, data | url, filename? }`)
  checkFields(given, `a field of ${place}`, FIELDS, 'INPUT_INVALID')
  const { mediaType, data, url, filename } = given as RunFile
  if (typeof mediaType !== 'string' || !/^[\w.+-]+\/[\w.+*-]+$/.test(mediaType))
    throw invalid(`${place} has no \`mediaType\`, such as "image/png"`)
  if ((data === undefined) === (url === undefined)) throw invalid(`${place} needs either \`data\` or \`url\``)
  if (filename !== undefined && typeof filename !== 'string') throw invalid(`\`filename\` of ${place} must be a text`)
  const name = filename === undefined ? {} : { filename }
  const type = mediaType.startsWith('image/') ? 'image' : 'file'
  if (url !== undefined) return { type, mediaType, url: readUrl(url, place), ...name }
  const base64 = readData(data, place, TEXT.test(mediaType) ? { maxBytes: MEDIA_BYTES_MAX, why: TEXT_HINT } : room)
  if (TEXT.test(mediaType))
    return { type: 'text', text: `File ${JSON.stringify(filename ?? mediaType)}:\n${textIn(base64)}` }
  return { type, mediaType, data: base64, ...name }
}

function readUrl(url: unknown, place: string): string {
  if (typeof url === 'string' && URL.canParse(url)) return url
  throw invalid(`\`url\` of ${place} is not an address`)
}

function readData(data: unknown, place: string, { maxBytes, why }: FileRoom): string {
  const base64 = data instanceof Uint8Array ? toBase64(data) : data
  if (typeof base64 !== 'string' || !isBase64(base64) || /[-_]/.test(base64))
    throw invalid(`\`data\` of ${place} must be bytes (a Uint8Array) or their base64`)
  const bytes = base64Bytes(base64)
  if (bytes <= maxBytes) return base64
  throw invalid(`${place} has ${bytes} bytes; at most ${maxBytes} are kept with a run. ${why}`)
}

function textIn(base64: string): string {
  return new TextDecoder().decode(fromBase64(base64))
}

function invalid(what: string): MandateError {
  return new MandateError('INPUT_INVALID', `${what}.`)
}
