import { CHUNKS_MAX, badCall } from './limits.ts'
import { isPairAt } from './page-index.ts'
import type { TextView } from './text-view.ts'

export interface ChunkOptions {
  /** Maximum characters of a part; 100,000 when absent. */
  readonly size?: number | undefined
  /** Maximum characters that a part repeats from the previous one. With `lines` or `paragraphs`, whole lines or paragraphs are repeated. */
  readonly overlap?: number | undefined
  /** Where a part may end: anywhere, after a line, or after a paragraph (a blank line). A line or paragraph longer than `size` is split. */
  readonly by?: 'chars' | 'lines' | 'paragraphs' | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** A range of positions. */
export interface Range {
  readonly from: number
  readonly to: number
}

const SIZE = 100_000

/** Divides a view into ranges that cover it without gaps. */
export async function divide(view: TextView, options: ChunkOptions): Promise<readonly Range[]> {
  const { size = SIZE, overlap = 0, by = 'chars' } = options
  const [start, end] = view.range(options.from, options.to)
  if (size < 1) throw badCall('`size` is at least 1 character.')
  if (overlap < 0 || overlap >= size) throw badCall('`overlap` is from 0 up and less than `size`.')
  if ((end - start) / size > CHUNKS_MAX)
    throw badCall(`One call gives at most ${CHUNKS_MAX} parts. Give a larger \`size\`, or \`from\` and \`to\`.`)
  const ranges: Range[] = []
  let from = start
  let to = start < end ? await partEnd(view, { from, size, end, by }) : end
  while (from < end) {
    ranges.push({ from, to })
    if (ranges.length > CHUNKS_MAX)
      throw badCall(`There are more than ${CHUNKS_MAX} parts. Give a larger \`size\`, or \`from\` and \`to\`.`)
    if (to >= end) break
    const before = to
    from = overlap === 0 ? before : await nextStart(view, { from, to, overlap, by })
    to = await partEnd(view, { from, size, end, by })
    if (to > before) continue
    // A long line follows that does not fit after the overlap, so this part starts without overlap.
    from = before
    to = await partEnd(view, { from, size, end, by })
  }
  return ranges
}

type By = NonNullable<ChunkOptions['by']>

async function partEnd(
  view: TextView,
  { from, size, end, by }: { from: number; size: number; end: number; by: By },
): Promise<number> {
  const limit = from + size
  if (limit >= end) return end
  const border = by === 'chars' ? limit : await lastBorder(view, from, limit, by)
  const to = border > from ? border : limit
  return wholeCharacter(view, to, from)
}

/** Adjusts a position so that it does not split a surrogate pair. */
async function wholeCharacter(view: TextView, at: number, from: number): Promise<number> {
  if (!isPairAt(await view.read(at - 1, at + 1), 1)) return at
  return at - 1 > from ? at - 1 : at + 1
}

/** Characters read at once while searching for a border. */
const LOOK = 65_536

/** Returns the position after the last line or paragraph in a range, or the start of the range if there is none. Searches backwards from the end. */
async function lastBorder(view: TextView, from: number, to: number, by: By): Promise<number> {
  // A blank line is recognised by up to three characters before the border.
  for (let end = to; end > from; end -= LOOK) {
    const start = Math.max(end - LOOK - 3, from)
    const text = await view.read(start, end)
    const at = by === 'lines' ? text.lastIndexOf('\n') + 1 : paragraphEnd(text)
    if (at > 0) return start + at
  }
  return from
}

/** Returns the position after the last blank line, or 0. */
function paragraphEnd(text: string): number {
  return Math.max(behind(text, '\n\n'), behind(text, '\n\r\n'))
}

function behind(text: string, mark: string): number {
  const at = text.lastIndexOf(mark)
  return at < 0 ? 0 : at + mark.length
}

async function nextStart(
  view: TextView,
  { from, to, overlap, by }: { from: number; to: number; overlap: number; by: By },
): Promise<number> {
  const least = Math.max(to - overlap, from + 1)
  if (by === 'chars') return wholeCharacter(view, least, from)
  const text = await view.read(least - 3, to)
  const offset = Math.min(3, least)
  const mark = by === 'lines' ? /\n/g : /\n\r?\n/g
  for (const match of text.matchAll(mark)) {
    const at = least - offset + match.index + match[0].length
    if (at >= least && at < to) return at
  }
  return to
}
