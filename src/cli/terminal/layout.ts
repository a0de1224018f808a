import { visible } from '../../core/index.ts'
import type { Flags } from '../flags.ts'
import { clip, note, print, table } from '../output.ts'

/** How wide the terminal is, or nothing in a pipe: there nothing is shortened or broken. */
export function screenWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined
}

/** A text in lines of at most so many columns, broken between words; a word that is longer is broken itself. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ').flatMap((each) => pieces(each, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** A word in parts that fit; most words are one. */
function pieces(word: string, width: number): string[] {
  if (word.length <= width) return [word]
  return Array.from({ length: Math.ceil(word.length / width) }, (_, at) => word.slice(at * width, (at + 1) * width))
}

/** The lines of a text behind a margin, broken to fit the given width. Recorded text is made visible first, because that makes it longer. */
export function block(text: string, margin: string, width: number | undefined = screenWidth()): string[] {
  const lines = visible(text).split('\n')
  const room = width === undefined ? undefined : Math.max(width - margin.length, NARROWEST)
  return lines
    .flatMap((line) => (room === undefined ? [line] : indented(line, room)))
    .map((line) => `${margin}${line}`.trimEnd())
}

/** A line that keeps what it is indented by, also where it goes on below. */
function indented(line: string, width: number): string[] {
  const words = line.trimStart()
  const indent = line.slice(0, Math.min(line.length - words.length, Math.floor(width / 2)))
  return wrapped(words, width - indent.length).map((part) => `${indent}${part}`)
}

/** A sentence with a first line at the margin of the page and the others below its words. */
export function hanging(first: string, text: string, width: number | undefined = screenWidth()): string {
  return `${first}${block(text, ' '.repeat(first.length), width).join('\n').slice(first.length)}`
}

/** A list for people and programs: on a terminal with heads and within its width, in a pipe the rows alone, whole. That there is nothing is a note. */
export function printList<T>(
  flags: Flags,
  items: readonly T[],
  {
    heads,
    row,
    none,
  }: { readonly heads: readonly string[]; readonly row: (item: T) => readonly string[]; readonly none: string },
): void {
  print(flags, items, () => listing(heads, items.map(row)))
  if (items.length === 0) note(none)
}

/** The text of a list. */
export function listing(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = screenWidth()
  if (width === undefined) return table(rows)
  return rows.length === 0 ? '' : fitted([heads.map((head) => head.toUpperCase()), ...rows], width)
}

/** Figures with their heads, which a pipe gets as well. A figure is never shortened: half a number would be another one. */
export function figureTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = screenWidth()
  return width === undefined ? table([heads, ...rows]) : fitted([heads, ...rows], width, Infinity)
}

/** No column gets narrower than this to make room. */
const NARROWEST = 8
const GAP = 2

/** Shortens the cells of the widest columns until the rows fit. The first column stays whole, because it is copied: where it is too long, the others follow below it. */
function fitted(rows: readonly (readonly string[])[], width: number, narrowest = NARROWEST): string {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  let excess = widths.reduce((sum, each) => sum + each, GAP * (columns - 1)) - width
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths.slice(1)), 1)
    if (widest < 1 || widths[widest]! <= narrowest) break
    widths[widest]! -= 1
    excess -= 1
  }
  const first = Math.max(widths[0]! - Math.max(excess, 0), NARROWEST)
  return rows
    .flatMap(([head = '', ...cells]) => {
      const rest = cells.map((cell, at) => clip(cell, widths[at + 1]).padEnd(widths[at + 1]!)).join('  ')
      const line = `${head.padEnd(first)}  ${rest}`.trimEnd()
      if (head.length <= first) return [line]
      return [...pieces(head, width), `${' '.repeat(first)}  ${rest}`.trimEnd()]
    })
    .join('\n')
}

/** A moment in a list: for a person how long ago it was or when it comes, for a program in ISO. */
export function moment(at: number, now: number): string {
  if (screenWidth() === undefined) return new Date(at).toISOString()
  const seconds = Math.round(Math.abs(now - at) / 1_000)
  if (seconds < 1) return at > now ? 'now' : 'just now'
  const [unit, size] = UNITS.findLast(([, length]) => seconds >= length) ?? UNITS[0]!
  const length = `${Math.floor(seconds / size)} ${unit}`
  return at > now ? `in ${length}` : `${length} ago`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['s', 1],
  ['min', 60],
  ['h', 3_600],
  ['d', 86_400],
]

/** A date with its time: for a person in the zone of this machine, for a program in ISO. */
export function dateTime(at: number): string {
  return screenWidth() === undefined ? new Date(at).toISOString() : `${localDay(at)} ${localTime(at)}`
}

/** The day in the zone of this machine. */
export function localDay(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}

/** The time of day in the zone of this machine. */
export function localTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
