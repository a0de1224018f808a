import { visible } from '../../core/index.ts'
import type { Flags } from '../flags.ts'
import { clip, print, table } from '../output.ts'
import { hint } from '../help/own-command.ts'

/** Returns the width of the terminal, or undefined in a pipe, where text is neither cut nor wrapped. */
export function screenWidth(): number | undefined {
  return process.stdout.isTTY ? process.stdout.columns || 80 : undefined
}

/** Wraps a text between words into lines of at most `width` columns; longer words are split. */
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

/** Splits a word into parts that fit; most words stay whole. */
function pieces(word: string, width: number): string[] {
  if (word.length <= width) return [word]
  return Array.from({ length: Math.ceil(word.length / width) }, (_, at) => word.slice(at * width, (at + 1) * width))
}

/** Formats a text with a margin, wrapped to the given width. Control characters are escaped first, because that makes the text longer. */
export function block(text: string, margin: string, width: number | undefined = screenWidth()): string[] {
  const lines = visible(text).split('\n')
  const room = width === undefined ? undefined : Math.max(width - margin.length, NARROWEST)
  return lines
    .flatMap((line) => (room === undefined ? [line] : indented(line, room)))
    .map((line) => `${margin}${line}`.trimEnd())
}

/** Wraps a line and keeps its indentation on all resulting lines. */
function indented(line: string, width: number): string[] {
  const words = line.trimStart()
  const indent = line.slice(0, Math.min(line.length - words.length, Math.floor(width / 2)))
  return wrapped(words, width - indent.length).map((part) => `${indent}${part}`)
}

/** Formats a text after a label, with a hanging indent. */
export function hanging(first: string, text: string, width: number | undefined = screenWidth()): string {
  return `${first}${block(text, ' '.repeat(first.length), width).join('\n').slice(first.length)}`
}

/** Prints a list. On a terminal it has heads and fits the width; in a pipe it has only the complete rows. An empty list is reported as a note. */
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
  if (items.length === 0) hint(none)
}

/** Formats a list as text. */
export function listing(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = screenWidth()
  if (width === undefined) return table(rows)
  return rows.length === 0 ? '' : fitted([heads.map((head) => head.toUpperCase()), ...rows], width)
}

/** Formats figures with their heads, also in a pipe. Figures are never cut, because part of a number would be another number. */
export function figureTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = screenWidth()
  return width === undefined ? table([heads, ...rows]) : fitted([heads, ...rows], width, Infinity)
}

/** Minimum width of a column when columns are shortened. */
const NARROWEST = 8
const GAP = 2

/**
 * Shortens the cells of the widest columns until the rows fit. The first column stays complete, because users copy it; if it is too long, the other columns
 * follow on the next line.
 */
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

/** Formats a time in a list: relative to now on a terminal, in ISO 8601 in a pipe. */
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

/** Formats a date with its time: in the local time zone on a terminal, in ISO 8601 in a pipe. */
export function dateTime(at: number): string {
  return screenWidth() === undefined ? new Date(at).toISOString() : `${localDay(at)} ${localTime(at)}`
}

/** Formats the day in the local time zone. */
export function localDay(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}

/** Formats the time of day in the local time zone. */
export function localTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
