import { MandateError, afterTurn, sha256, utf8Bytes } from '../../core/index.ts'
import type { ContextSource } from '../../memory/index.ts'
import { CONTEXT_BYTES_MAX, PAGE_BYTES, PAGE_CHARS } from './limits.ts'

/**
 * The start of each page of a text: in characters (UTF-16 units, as scripts count), in line breaks before it, and in units of the source. About 100 bytes per
 * page, so 80 KB for 100 MB.
 */
export interface PageIndex {
  readonly pages: number
  /** Characters before each page and before the end. */
  readonly chars: Float64Array
  /** Line breaks before each page and before the end. */
  readonly breaks: Float64Array
  /** Whether the text ends with a line break. */
  readonly endsWithBreak: boolean
  /** SHA-256 of the content of each page. Used to detect a page that has changed. */
  readonly hashes: readonly string[]
  /** Hash of all page hashes. Identifies the version of the whole content. */
  readonly hash: string
  /** Size as UTF-8. */
  readonly bytes: number
}

/** The pages of a text before they are indexed. */
export interface PageReader {
  readonly label: string
  /** Calls `found` with each page in order: its text and the bytes that are hashed. */
  scan(found: (page: string, content: string | Uint8Array) => void): Promise<void>
  /** The text of one page and the bytes that are hashed. */
  page(index: number): Promise<{ readonly text: string; readonly content: string | Uint8Array }>
}

/** Indexes a text in one pass, with one page in memory at a time. */
export async function indexPages(reader: PageReader): Promise<PageIndex> {
  const chars = [0]
  const breaks = [0]
  const hashes: string[] = []
  let bytes = 0
  let endsWithBreak = false
  await reader.scan((page, content) => {
    chars.push(chars.at(-1)! + page.length)
    breaks.push(breaks.at(-1)! + countBreaks(page, 0, page.length))
    hashes.push(sha256(content))
    endsWithBreak = page.endsWith('\n')
    bytes += typeof content === 'string' ? utf8Bytes(content) : content.length
  })
  const hash = sha256(hashes.join(''))
  return {
    pages: hashes.length,
    chars: Float64Array.from(chars),
    breaks: Float64Array.from(breaks),
    endsWithBreak,
    hashes,
    hash,
    bytes,
  }
}

export function countBreaks(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

/** Yields to the event loop, because a pass over a large text takes long. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    afterTurn(resolve)
  })
}

/** Reads a text in memory as pages. Pages never split a surrogate pair. */
export function textPages(label: string, text: string): PageReader {
  const starts: number[] = []
  for (let at = 0; at < text.length; at = pageEnd(text, at)) starts.push(at)
  const read = (index: number): string => text.slice(starts[index], starts[index + 1] ?? text.length)
  return {
    label,
    async scan(found) {
      for (const index of starts.keys()) {
        const page = read(index)
        found(page, page)
        if (index % 16 === 15) await pause()
      }
    },
    page: async (index) => ({ text: read(index), content: read(index) }),
  }
}

function pageEnd(text: string, from: number): number {
  const end = from + PAGE_CHARS
  return end < text.length && isPairAt(text, end) ? end + 1 : end
}

/** Whether a position lies between the halves of a surrogate pair. */
export function isPairAt(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

/** Reads a UTF-8 source as pages. Pages end where the decoder has no incomplete character, so the joined pages are equal to the decoded whole. */
export function bytePages(source: ContextSource): PageReader {
  const starts: number[] = []
  let size = 0
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return {
    label: source.label,
    async scan(found) {
      size = await sizeOf(source)
      starts.length = 0
      for (let at = 0; at < size;) {
        const end = Math.min(at + PAGE_BYTES, size)
        const bytes = await readExactly(source, at, end)
        if (at === 0) checkText(source.label, bytes)
        const kept = end === size ? bytes.length : boundary(bytes)
        const skipped = at === 0 ? markLength(bytes) : 0
        starts.push(at + skipped)
        const page = bytes.subarray(skipped, kept)
        found(decoder.decode(page), page)
        at += kept
        if (starts.length % 16 === 0) await pause()
      }
    },
    async page(index) {
      const end = starts[index + 1] ?? size
      const bytes = await readExactly(source, starts[index]!, end)
      return { text: decoder.decode(bytes), content: bytes }
    },
  }
}

async function sizeOf(source: ContextSource): Promise<number> {
  const size = await source.size()
  if (size <= CONTEXT_BYTES_MAX) return size
  const message = `The context "${source.label}" has ${size} bytes; ${CONTEXT_BYTES_MAX} is the most. Split it, or give the part that matters.`
  throw new MandateError('LIMIT_EXCEEDED', message)
}

async function readExactly(source: ContextSource, start: number, end: number): Promise<Uint8Array> {
  const bytes = await source.read(start, end)
  if (bytes.length === end - start) return bytes
  throw changed(source.label)
}

/** Creates the error for content that has changed since it was indexed or first used. */
export function changed(label: string): MandateError {
  return new MandateError(
    'RUN_STATE',
    `The context "${label}" has changed since it was opened: what was read before no longer fits it. Restore its content, or open it in a new session.`,
  )
}

/** Returns the length of the byte order mark, which is not part of the text. */
function markLength(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
}

function checkText(label: string, bytes: Uint8Array): void {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
  if (!isUtf16 && !bytes.subarray(0, 8_192).includes(0)) return
  const what = isUtf16 ? 'is text in UTF-16' : 'is not text'
  throw new MandateError('INPUT_INVALID', `The context "${label}" ${what}. Give text in UTF-8.`)
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/**
 * Returns where a page ends: before the last byte that starts a character. A character has at most three continuation bytes, so after four of them (invalid
 * UTF-8 only) no character is incomplete.
 */
function boundary(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= bytes.length - 4 && at > 0; at -= 1) if (!isContinuation(bytes[at])) return at
  return bytes.length
}
