import { CHUNKS_MAX, badCall } from './limits.ts'
import { isPairAt } from './page-index.ts'
import type { TextView } from './text-view.ts'

export interface ChunkOptions {
  /** Characters of a part at most; 100,000 when absent. */
  readonly size?: number | undefined
  /** Characters that a part repeats of the one before it, at most; whole lines or paragraphs where parts consist of them. */
  readonly overlap?: number | undefined
  /** Where a part may end: anywhere, behind a line, or behind a paragraph (a blank line). One that is longer than `size` is cut. */
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

/** Divides a view into ranges. They cover it without a gap. */
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
    // A long line follows: with the overlap in front of it there is no room for it.
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

/** A position that does not split a surrogate pair. */
async function wholeCharacter(view: TextView, at: number, from: number): Promise<number> {
  if (!isPairAt(await view.read(at - 1, at + 1), 1)) return at
  return at - 1 > from ? at - 1 : at + 1
}

/** Characters that are looked through at once for a border. */
const LOOK = 65_536

/** The last place behind a line or paragraph in a range, or its beginning where there is none. It is looked for from the end. */
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

/** The place behind the last blank line, or 0. */
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
