import { styleText } from 'node:util'
import { MandateError, oneLine, visible } from '../core/index.ts'
import type { Flags } from './flags.ts'
import { StatusLine } from './terminal/status-line.ts'

/** Notes that wait until nothing is asked on the terminal. */
let held: string[] | undefined

/** How much is said, and in which colours: set once for each command line. */
let mode: Mode = { isQuiet: false, isVerbose: false, isJson: false, color: 'auto' }

interface Mode {
  readonly isQuiet: boolean
  readonly isVerbose: boolean
  readonly isJson: boolean
  readonly color: string
}

const COLOR_MODES = ['auto', 'always', 'never']

/** Takes --quiet, --verbose, --json, --jsonl and --color. */
export function setOutput({
  quiet,
  verbose,
  json,
  jsonl,
  color = 'auto',
}: Pick<Flags, 'quiet' | 'verbose' | 'json' | 'jsonl' | 'color'>): void {
  mode = { isQuiet: quiet, isVerbose: verbose, isJson: json || jsonl, color: 'auto' }
  streamed = { isAny: false, isLineOpen: false }
  if (!COLOR_MODES.includes(color))
    throw new MandateError('INPUT_INVALID', `--color is one of ${COLOR_MODES.join(', ')}, not "${color}".`)
  mode = { ...mode, color }
}

/** Whether more than usual is wanted. */
export function isVerbose(): boolean {
  return mode.isVerbose
}

/** Notes go to stderr, so that stdout holds nothing but data. With --quiet there are none. */
export function note(text: string): void {
  if (!mode.isQuiet) alert(text)
}

let status: StatusLine | undefined

/** Shows a line of status on a terminal until the returned function is called; in a pipe, with --quiet and with --json there is none. */
export function showStatus(text: (elapsedMs: number) => string): () => void {
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY && process.env['TERM'] !== 'dumb'
  if (!isTerminal || mode.isQuiet || mode.isJson || status !== undefined) return () => {}
  const line = new StatusLine({
    screen: process.stderr,
    text,
    isFree: () => held === undefined && !streamed.isLineOpen,
    isUnicode: /utf-?8/iu.test(process.env['LC_ALL'] || process.env['LC_CTYPE'] || process.env['LANG'] || ''),
  })
  status = line
  const stop = (): void => {
    process.off('exit', stop)
    line.stop()
    status = undefined
  }
  // A second Ctrl-C ends the process: the line does not stay behind.
  process.on('exit', stop)
  return stop
}

/** Data on stdout, in front of which the status is erased. */
export function writeData(text: string): void {
  status?.erase()
  process.stdout.write(text)
}

/** What a model says while it says it, on a terminal. */
export function streamText(text: string): void {
  if (text === '') return
  writeData(visible(text))
  streamed = { isAny: true, isLineOpen: !text.endsWith('\n') }
}

let streamed = { isAny: false, isLineOpen: false }

/** Whether something of what models said was shown already. */
export function hasStreamed(): boolean {
  return streamed.isAny
}

/** Ends the line that a model is writing, before anything else is said. */
export function endStream(): void {
  if (streamed.isLineOpen) process.stdout.write('\n')
  streamed = { ...streamed, isLineOpen: false }
}

/** What must be seen whatever is asked for: errors, questions, links. */
export function alert(text: string): void {
  endStream()
  status?.erase()
  if (held === undefined) process.stderr.write(`${safe(text)}\n`)
  else held.push(text)
}

/** Keeps notes back while a person types an answer, which they would tear apart. */
export function holdNotes(): void {
  held ??= []
}

/** Writes the notes that were kept back, and those to come at once. */
export function releaseNotes(): void {
  const texts = held ?? []
  held = undefined
  for (const text of texts) alert(text)
}

/** The colours that notes are painted in. */
const COLOURS = new RegExp(`(${String.fromCharCode(0x1b)}\\[(?:2|22|31|33|36|39)m)`, 'u')

/** What models, tools and runs have said must not act on the terminal; the colours of `paint` may. */
function safe(text: string): string {
  return text
    .split(COLOURS)
    .map((piece, index) => (index % 2 === 1 ? piece : visible(piece)))
    .join('')
}

/** Colour for notes: `styleText` looks at the stream, NO_COLOR and FORCE_COLOR, unless --color decides. */
export const paint: typeof styleText = (format, text) => {
  if (mode.color === 'never') return text
  return styleText(format, text, mode.color === 'always' ? { validateStream: false } : { stream: process.stderr })
}

/** The same for data on stdout. */
export const paintData: typeof styleText = (format, text) => {
  if (mode.color === 'never') return text
  return styleText(format, text, mode.color === 'always' ? { validateStream: false } : { stream: process.stdout })
}

/** Data, as a program or as a person wants it. */
export function print(flags: Flags, json: unknown, text: () => string): void {
  if (flags.jsonl && Array.isArray(json)) return json.forEach(printLine)
  if (flags.json || flags.jsonl) return printLine(json)
  const out = text()
  if (out !== '') writeData(`${visible(out)}\n`)
}

/** The same for lines that `paintData` has coloured; whoever paints recorded text has made it visible before. */
export function printPainted(flags: Flags, json: unknown, lines: () => readonly string[]): void {
  if (flags.json || flags.jsonl) return print(flags, json, () => '')
  writeData(`${lines().map(safe).join('\n')}\n`)
}

/** The same for an answer: it goes into a file or a pipe as it was given. */
export function printAnswer(flags: Flags, json: unknown, text: () => string): void {
  if (flags.json || flags.jsonl || process.stdout.isTTY) return print(flags, json, text)
  const out = text()
  if (out !== '') writeData(`${out}\n`)
}

export function printLine(json: unknown): void {
  writeData(`${oneLine(JSON.stringify(json))}\n`)
}

/** So many of something, in words: `1 run`, `2 runs`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

export function clip(value: unknown, length = 100): string {
  const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? '')
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

/** Rows as columns that line up. */
export function table(rows: readonly (readonly string[])[]): string {
  // The last cell of a row may be as long as it likes.
  const widthOf = (row: readonly string[], column: number): number =>
    column < row.length - 1 ? (row[column]?.length ?? 0) : 0
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row, column))))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
    )
    .join('\n')
}
