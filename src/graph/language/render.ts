import { checkFields, visible } from '../../core/index.ts'
import type { Span } from '../blueprint/blueprint.ts'
import type { Diagnostic } from '../blueprint/diagnostic.ts'
import { widthOf } from './width.ts'

interface RenderOptions {
  /** The name of the text, shown before the line; `graph.rag` by default. */
  readonly name?: string | undefined
  /** Colours for a terminal; off by default. */
  readonly color?: boolean | undefined
}

const TAB = '    '
/** The maximum number of columns shown of a source line. */
const WINDOW = 100
/** The maximum number of characters considered on either side, because lines may be very long. */
const NEAR = 4 * WINDOW
/** The maximum number of lines shown of one finding. */
const LINES_MAX = 4

const RED = '\u001B[31m'
const YELLOW = '\u001B[33m'
const PLAIN = '\u001B[0m'

/**
 * Formats findings for people: the source line, carets under the relevant part, and the fix. Findings without a source position show their path in
 * the blueprint.
 *
 * @example
 * ```ts
 * import { compileRag, renderDiagnostics } from 'mandate/graph'
 * const source = 'graph hello { start sey node say { next END } }'
 * console.log(renderDiagnostics(source, compileRag(source).diagnostics, { name: 'hello.rag' }))
 * ```
 */
export function renderDiagnostics(
  source: string,
  diagnostics: readonly Diagnostic[],
  options: RenderOptions = {},
): string {
  checkFields(options, 'an option of `renderDiagnostics`', { name: true, color: true })
  const { name = 'graph.rag', color = false } = options
  const lines = new SourceLines(source)
  return diagnostics.map((diagnostic) => renderOne(diagnostic, lines, name, color)).join('\n\n')
}

function renderOne(diagnostic: Diagnostic, lines: SourceLines, name: string, color: boolean): string {
  const { severity, code, message, span, path, help, related = [] } = diagnostic
  const head = `${severity}[${code}]`
  const painted = color ? `${severity === 'error' ? RED : YELLOW}${head}${PLAIN}` : head
  const places = span ? [span, ...related.map((each) => each.span)] : []
  const gutter = String(Math.max(1, ...places.map((place) => lines.lastLine(place)))).length
  const margin = ' '.repeat(gutter)
  const shown = [`${painted}: ${visible(message).replaceAll('\n', ' ')}`]
  if (span) {
    shown.push(`${margin}--> ${visible(name)}:${span.line}:${span.column}`, `${margin} |`)
    shown.push(...excerpt(span, lines, gutter, '^'))
    for (const { span: other, label } of related) {
      shown.push(`${margin} |`, ...excerpt(other, lines, gutter, '-', ` ${visible(label)}`))
    }
  } else if (path !== undefined) shown.push(`${margin}--> ${visible(path) || 'the blueprint'}`)
  if (help !== undefined) shown.push(`${margin} = help: ${visible(help).replaceAll('\n', ' ')}`)
  return shown.join('\n')
}

/** The lines of a position, with marks under the relevant part. */
// oxlint-disable-next-line max-params -- one drawing, used twice
function excerpt(span: Span, lines: SourceLines, gutter: number, mark: string, note = ''): string[] {
  const last = lines.lastLine(span)
  const numbers = Array.from({ length: Math.min(last - span.line + 1, LINES_MAX) }, (_, index) => span.line + index)
  const drawn = numbers.flatMap((number) => {
    const { text, start } = lines.at(number)
    const from = Math.min(Math.max(span.start - start, 0), text.length)
    const to = Math.min(Math.max(span.end - start, from), text.length)
    const { line, before, marked } = cutOut(text, from, to)
    const marks = `${' '.repeat(before)}${mark.repeat(Math.max(1, marked))}${number === span.line ? note : ''}`
    return [`${String(number).padStart(gutter)} | ${line}`.trimEnd(), `${' '.repeat(gutter)} | ${marks}`]
  })
  return last - span.line + 1 > LINES_MAX ? [...drawn, `${' '.repeat(gutter)} | …`] : drawn
}

interface Cut {
  readonly line: string
  /** Columns before the marks, and marked columns. */
  readonly before: number
  readonly marked: number
}

/** A line for display: tabs and control characters replaced, and of a long line the part around the marks. */
function cutOut(text: string, from: number, to: number): Cut {
  const head = shownText(text.slice(Math.max(0, from - NEAR), from))
  const middle = shownText(text.slice(from, Math.min(to, from + NEAR)))
  const tail = shownText(text.slice(to, to + NEAR))
  const isNear = from <= NEAR && to - from <= NEAR && text.length - to <= NEAR
  if (isNear && widthOf(head) + widthOf(middle) + widthOf(tail) <= WINDOW)
    return { line: head + middle + tail, before: widthOf(head), marked: widthOf(middle) }
  const left = takeEnd(head, 40)
  const kept = takeStart(middle, WINDOW - 41)
  const right = kept === middle ? takeStart(tail, WINDOW - widthOf(left) - widthOf(kept)) : ''
  const isCutLeft = left !== head || from > NEAR
  const isCutRight = kept !== middle || right !== tail || text.length - to > NEAR
  return {
    line: `${isCutLeft ? '…' : ''}${left}${kept}${right}${isCutRight ? '…' : ''}`,
    before: widthOf(left) + (isCutLeft ? 1 : 0),
    marked: widthOf(kept),
  }
}

function shownText(text: string): string {
  return visible(text.replaceAll('\t', TAB))
}

function takeStart(text: string, columns: number): string {
  let kept = ''
  let width = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) return kept
    kept += character
  }
  return kept
}

function takeEnd(text: string, columns: number): string {
  const kept = Array.from(text)
  let width = widthOf(text)
  while (width > columns) width -= widthOf(kept.shift()!)
  return kept.join('')
}

/** The lines of a source by number. */
class SourceLines {
  readonly #source: string
  readonly #starts: number[] = [0]

  constructor(source: string) {
    this.#source = source
    for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  at(line: number): { text: string; start: number } {
    const start = this.#starts[line - 1] ?? this.#source.length
    const end = this.#starts[line] ?? this.#source.length + 1
    return { text: this.#source.slice(start, end - 1).replace(/\r$/, ''), start }
  }

  /** The line on which a position ends. */
  lastLine({ line, start, end }: Span): number {
    let last = line
    while (last < this.#starts.length && this.#starts[last]! < Math.max(end, start)) last++
    return last
  }
}
