import type { Span } from './pieces.ts'

/** The text below one heading, up to the next. */
interface Section extends Span {
  /** The headings above it, outermost first. */
  readonly heading: readonly string[]
}

interface Line extends Span {
  readonly text: string
}

interface Heading {
  readonly level: number
  readonly title: string
}

/** Divides markdown at its headings. Lines of code blocks and of front matter are not headings. */
export function sectionsOf(markdown: string): readonly Section[] {
  const lines = linesOf(markdown)
  const sections: Section[] = []
  const path: Heading[] = []
  let start = 0
  const close = (end: number): void => {
    sections.push({ start, end, heading: path.map(({ title }) => title) })
  }
  for (const { line, end, ...heading } of headings(lines)) {
    close(lines[line]!.start)
    while (path.length > 0 && path.at(-1)!.level >= heading.level) path.pop()
    path.push(heading)
    start = end
  }
  close(markdown.length)
  return sections.filter((section) => markdown.slice(section.start, section.end).trim() !== '')
}

/** The headings, each with its first line and the end of its last line. */
function* headings(lines: readonly Line[]): Generator<Heading & { readonly line: number; readonly end: number }> {
  let fence: string | undefined
  for (let at = frontMatterLines(lines); at < lines.length; at++) {
    const { text, end } = lines[at]!
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && text.trim() === mark) fence = undefined
    } else if (mark === undefined) {
      const heading = headingIn(text)
      const underlined = heading ?? underlinedBy(lines[at + 1]?.text, text, lines[at - 1]?.text)
      if (underlined === undefined) continue
      yield { ...underlined, line: at, end: heading === undefined ? lines[at + 1]!.end : end }
      if (heading === undefined) at++
    } else fence = mark
  }
}

/** `## Title`, optionally with closing marks. */
function headingIn(text: string): Heading | undefined {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(text)
  if (marks === null) return undefined
  const title = text.slice(marks[0].length).trim()
  let end = title.length
  while (title[end - 1] === '#') end--
  const isClosed = end === 0 || title[end - 1] === ' '
  return { level: marks[1]!.length, title: isClosed ? title.slice(0, end).trim() : title }
}

/** A one-line paragraph underlined with `===` or `---`. */
function underlinedBy(below: string | undefined, text: string, above = ''): Heading | undefined {
  const mark = /^ {0,3}(=+|-+)\s*$/.exec(below ?? '')?.[1]
  if (mark === undefined || text.trim() === '' || above.trim() !== '' || /^(?: {4}|\t| {0,3}[-*+>|])/.test(text))
    return undefined
  return { level: mark.startsWith('=') ? 1 : 2, title: text.trim() }
}

/** The number of lines of the front matter. */
function frontMatterLines(lines: readonly Line[]): number {
  if (lines[0]?.text.trimEnd() !== '---') return 0
  const end = lines.findIndex(({ text }, at) => at > 0 && text.trimEnd() === '---')
  return end + 1
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = []
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found + 1
    lines.push({ start, end, text: text.slice(start, end).replace(/\r?\n$/, '') })
    start = end
  }
  return lines
}
