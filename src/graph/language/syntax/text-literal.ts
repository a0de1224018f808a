/** A text literal, read from a source. */
interface TextLiteral {
  readonly value: string
  /** The source position of each UTF-16 unit of the value, and of its end. */
  readonly offsets: readonly number[]
  /** The end of the literal in the source, including quotes. */
  readonly end: number
  readonly isClosed: boolean
  /** Invalid escapes: their position and length. */
  readonly badEscapes: readonly { readonly start: number; readonly end: number }[]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', '"': '"' }
const BLOCK = '"""'

/** Reads the text literal at `start`: in single quotes on one line, or in triple quotes over several lines. */
export function readTextLiteral(source: string, start: number): TextLiteral {
  const isBlock = source.startsWith(BLOCK, start)
  const from = start + (isBlock ? 3 : 1)
  const to = isBlock ? blockEnd(source, from) : lineEnd(source, from)
  const isClosed = isBlock ? source.startsWith(BLOCK, to) : source[to] === '"'
  const reader = new Reader(source)
  if (isBlock) for (const [begin, end] of blockParts(source, from, to)) reader.read(begin, end)
  else reader.read(from, to)
  return {
    value: reader.value,
    offsets: [...reader.offsets, to],
    end: isClosed ? to + (isBlock ? 3 : 1) : to,
    isClosed,
    badEscapes: reader.badEscapes,
  }
}

class Reader {
  value = ''
  readonly offsets: number[] = []
  readonly badEscapes: { start: number; end: number }[] = []
  readonly #source: string

  constructor(source: string) {
    this.#source = source
  }

  read(from: number, to: number): void {
    for (let at = from; at < to;) {
      const end = this.#source[at] === '\\' ? this.#escape(at, to) : this.#plain(at)
      at = end
    }
  }

  #plain(at: number): number {
    // Line breaks are normalized, whatever the editor wrote.
    const isReturn = this.#source[at] === '\r' && this.#source[at + 1] === '\n'
    this.#add(isReturn ? '\n' : this.#source[at]!, at)
    return at + (isReturn ? 2 : 1)
  }

  #escape(at: number, to: number): number {
    const letter = this.#source[at + 1] ?? ''
    const known = at + 1 < to ? ESCAPES[letter] : undefined
    if (known !== undefined) {
      this.#add(known, at)
      return at + 2
    }
    const code = /^\\u\{([0-9A-Fa-f]{1,6})\}/.exec(this.#source.slice(at, Math.min(to, at + 10)))
    const point = code === null ? -1 : Number.parseInt(code[1]!, 16)
    const isCharacter = point >= 0 && point <= 0x10_ff_ff && (point < 0xd8_00 || point > 0xdf_ff)
    const length = code?.[0].length ?? Math.min(2, to - at)
    if (isCharacter) this.#add(String.fromCodePoint(point), at)
    else this.badEscapes.push({ start: at, end: at + length })
    return at + length
  }

  #add(text: string, at: number): void {
    this.value += text
    for (let unit = 0; unit < text.length; unit++) this.offsets.push(at)
  }
}

/** The closing quote of a text on one line, or the end of the line. */
function lineEnd(source: string, from: number): number {
  let at = from
  while (at < source.length && source[at] !== '"' && source[at] !== '\n')
    // An escape never includes the end of its line: otherwise the following lines would be read as text.
    at += source[at] === '\\' && source[at + 1] !== '\n' ? 2 : 1
  return Math.min(at, source.length)
}

function blockEnd(source: string, from: number): number {
  let at = from
  while (at < source.length && !source.startsWith(BLOCK, at)) at += source[at] === '\\' ? 2 : 1
  return Math.min(at, source.length)
}

interface Line {
  /** The start of the line, and of its text after the indentation. */
  readonly start: number
  readonly begin: number
  /** The end without the line break. */
  readonly end: number
}

/** The parts of a text block that form its value: without the common indentation, and without empty first and last lines. */
function blockParts(source: string, from: number, to: number): [number, number][] {
  const [first, ...rest] = linesOf(source, from, to)
  if (rest.length === 0) return [[from, to]]
  const isBlank = (line: Line): boolean => /^[ \t]*$/.test(source.slice(line.start, line.end))
  const indent = commonIndent(rest.filter((line) => !isBlank(line)).map((line) => source.slice(line.start, line.end)))
  const body = rest.map((line) => ({ ...line, begin: isBlank(line) ? line.end : line.start + indent }))
  if (isBlank(body.at(-1)!)) body.pop()
  const kept = isBlank(first!) ? body : [first!, ...body]
  return kept.flatMap((line, index): [number, number][] => {
    const text: [number, number] = [line.begin, line.end]
    return index === 0 ? [text] : [[kept[index - 1]!.end, line.start], text]
  })
}

function linesOf(source: string, from: number, to: number): Line[] {
  const lines: Line[] = []
  for (let start = from; ;) {
    const found = source.indexOf('\n', start)
    const isLast = found === -1 || found >= to
    const hasReturn = !isLast && found > start && source[found - 1] === '\r'
    lines.push({ start, begin: start, end: isLast ? to : hasReturn ? found - 1 : found })
    if (isLast) return lines
    start = found + 1
  }
}

function commonIndent(lines: readonly string[]): number {
  let shared = /^[ \t]*/.exec(lines[0] ?? '')![0]
  for (const line of lines) while (!line.startsWith(shared)) shared = shared.slice(0, -1)
  return shared.length
}

/** The lines of a text block that starts on its second line, as written, without their common indentation. */
export function blockLines(literal: string): string[] | undefined {
  const [first, ...rest] = linesOf(literal, 3, literal.length - 3).map(({ start, end }) => literal.slice(start, end))
  const isBlank = (line: string): boolean => /^[ \t]*$/.test(line)
  if (rest.length === 0 || !isBlank(first!)) return undefined
  const indent = commonIndent(rest.filter((line) => !isBlank(line)))
  const lines = rest.map((line) => (isBlank(line) ? '' : line.slice(indent)))
  if (lines.at(-1) === '') lines.pop()
  return lines
}
