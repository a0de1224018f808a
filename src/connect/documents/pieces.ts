/** A part of a text: from `start` up to `end`, exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Ways to divide a text, from coarse to fine: a part that is too long is divided by the next one. */
export const DIVISIONS = ['paragraphs', 'sentences', 'characters'] as const

export type Division = (typeof DIVISIONS)[number]

interface PackOptions {
  readonly by: Division
  /** The maximum number of characters of a chunk. */
  readonly size: number
  /** The maximum number of characters that consecutive chunks share; whole parts only. */
  readonly overlap: number
}

/** Divides a part of a text into chunks of at most `size` characters, at the boundaries of paragraphs, sentences or words. */
export function pack(text: string, whole: Span, { by, size, overlap }: PackOptions): readonly Span[] {
  const parts = divide(text, whole, by, size)
  const chunks: Span[] = []
  let first = 0
  for (let next = 0; next < parts.length; next++) {
    if (parts[next]!.end - parts[first]!.start <= size) continue
    chunks.push({ start: parts[first]!.start, end: parts[next - 1]!.end })
    first = overlapFrom(parts, { first, next, size, overlap })
  }
  if (first < parts.length) chunks.push({ start: parts[first]!.start, end: parts.at(-1)!.end })
  return chunks.map((chunk) => trimmed(text, chunk)).filter(({ start, end }) => end > start)
}

/** The part with which the next chunk begins: as early as the overlap allows, such that the part which did not fit does now. */
function overlapFrom(
  parts: readonly Span[],
  { first, next, size, overlap }: { first: number; next: number; size: number; overlap: number },
): number {
  const border = parts[next]!.start
  let from = next
  while (
    from - 1 > first &&
    border - parts[from - 1]!.start <= overlap &&
    parts[next]!.end - parts[from - 1]!.start <= size
  )
    from--
  return from
}

/** Divides a text completely into parts no longer than `size`. */
function divide(text: string, whole: Span, by: Division, size: number): readonly Span[] {
  const finer = DIVISIONS[DIVISIONS.indexOf(by) + 1]
  return PARTS[by](text, whole).flatMap((part) => {
    if (part.end - part.start <= size) return [part]
    return finer === undefined ? cut(text, part, size) : divide(text, part, finer, size)
  })
}

const PARTS: Readonly<Record<Division, (text: string, whole: Span) => readonly Span[]>> = {
  paragraphs,
  sentences,
  characters: words,
}

/** Parts that end with blank lines. */
function paragraphs(text: string, whole: Span): readonly Span[] {
  return spansAfter(text, whole, /\n[^\S\n]*\n\s*/g)
}

/** Words, each with the space after it. */
function words(text: string, whole: Span): readonly Span[] {
  return spansAfter(text, whole, /\s+/g)
}

function spansAfter(text: string, { start, end }: Span, border: RegExp): readonly Span[] {
  const part = text.slice(start, end)
  const ends = [...part.matchAll(border)].map((match) => start + match.index + match[0].length)
  return spansBetween(start, [...ends, end])
}

function spansBetween(start: number, ends: readonly number[]): readonly Span[] {
  return ends.map((end, index) => ({ start: ends[index - 1] ?? start, end })).filter((span) => span.end > span.start)
}

/** By the Unicode rules, which also divide scripts without spaces after a full stop. */
function sentences(text: string, { start, end }: Span): readonly Span[] {
  const found = new Intl.Segmenter('und', { granularity: 'sentence' }).segment(text.slice(start, end))
  return Array.from(found, ({ index, segment }) => ({ start: start + index, end: start + index + segment.length }))
}

/** Cuts a part without spaces, such as a long URL or a line of base64. Surrogate pairs stay together. */
function cut(text: string, { start, end }: Span, size: number): readonly Span[] {
  const ends: number[] = []
  for (let at = start; at < end;) {
    const border = Math.min(at + size, end)
    const splitsPair = border < end && border - at > 1 && /[\uD800-\uDBFF]/.test(text[border - 1]!)
    at = splitsPair ? border - 1 : border
    ends.push(at)
  }
  return spansBetween(start, ends)
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end)
  return { start: start + part.length - part.trimStart().length, end: end - part.length + part.trimEnd().length }
}
