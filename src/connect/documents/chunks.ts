import { MandateError, checkFields, unknownField } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import { sectionsOf } from './markdown.ts'
import { DIVISIONS, type Division, pack } from './pieces.ts'

/** A part of a document that is found and cited as a unit. */
export interface Chunk {
  readonly text: string
  /** Its start in the document, in characters. */
  readonly start: number
  /** The headings above it, outermost first. */
  readonly heading?: readonly string[] | undefined
}

interface ChunkSizes {
  /** Where chunks may begin and end; `characters` (between words) by default. `markdown` keeps the headings above each chunk. */
  readonly by?: 'markdown' | Division | undefined
  /** The maximum number of characters of a chunk; 1,500 by default. */
  readonly size?: number | undefined
  /** The maximum number of characters that consecutive chunks share; 0 by default. */
  readonly overlap?: number | undefined
}

/** How documents are divided: a name, sizes, or a custom function. */
export type Chunking = 'markdown' | Division | ChunkSizes | ((text: string) => readonly Chunk[])

const CHUNK_SIZES: FieldNames<ChunkSizes> = { by: true, size: true, overlap: true }
const WAYS = ['markdown', ...DIVISIONS] as const

/** The function that divides documents; throws on invalid options. */
export function chunker(given: Chunking): (text: string) => readonly Chunk[] {
  if (typeof given === 'function') return given
  const sizes: ChunkSizes = typeof given === 'string' ? { by: given } : given
  checkFields(sizes, 'a field of `chunk`', CHUNK_SIZES)
  const { by = 'characters', size = 1_500, overlap = 0 } = sizes
  if (!WAYS.includes(by)) throw new MandateError('CONFIG_INVALID', unknownField(by, 'a way to divide documents', WAYS))
  if (!(Number.isSafeInteger(size) && size >= 1))
    throw new MandateError('CONFIG_INVALID', '`size` of `chunk` must be a whole number from 1 up.')
  if (!(Number.isSafeInteger(overlap) && overlap >= 0 && overlap < size))
    throw new MandateError('CONFIG_INVALID', '`overlap` of `chunk` must be a whole number from 0 up, and below `size`.')
  return (text) => {
    const sections = by === 'markdown' ? sectionsOf(text) : [{ start: 0, end: text.length, heading: [] }]
    const division = by === 'markdown' ? 'paragraphs' : by
    return sections.flatMap((section) =>
      pack(text, section, { by: division, size, overlap }).map(({ start, end }) => ({
        text: text.slice(start, end),
        start,
        heading: section.heading,
      })),
    )
  }
}
