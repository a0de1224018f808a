import { styleText } from 'node:util'
import { MandateError, oneLine, visible } from '../core/index.ts'
import type { Flags } from './flags.ts'
import { StatusLine } from './terminal/status-line.ts'

/** Notes held back while a prompt is open on the terminal. */
let held: string[] | undefined

/** Verbosity and colours, set once per command line. */
let mode: Mode = { isQuiet: false, isVerbose: false, isJson: false, color: 'auto' }

interface Mode {
  readonly isQuiet: boolean
  readonly isVerbose: boolean
  readonly isJson: boolean
  readonly color: string
}

const COLOR_MODES = ['auto', 'always', 'never']

/** Applies --quiet, --verbose, --json, --jsonl and --color. */
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

/** Whether --verbose was given. */
export function isVerbose(): boolean {
  return mode.isVerbose
}

/** Writes a note to stderr, so that stdout has only data. With --quiet it writes nothing. */
export function note(text: string): void {
  if (!mode.isQuiet) alert(text)
}

let status: StatusLine | undefined

/** Shows a status line on a terminal until the returned function is called. It shows nothing in a pipe, with --quiet or with --json. */
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
  // Erases the line if a second Ctrl-C ends the process.
  process.on('exit', stop)
  return stop
}

/** Writes data to stdout, after erasing the status line. */
export function writeData(text: string): void {
  status?.erase()
  process.stdout.write(text)
}

/** Writes streamed text of a model on a terminal. */
export function streamText(text: string): void {
  if (text === '') return
  writeData(visible(text))
  streamed = { isAny: true, isLineOpen: !text.endsWith('\n') }
}

let streamed = { isAny: false, isLineOpen: false }

/** Whether any model text was already shown. */
export function hasStreamed(): boolean {
  return streamed.isAny
}

/** Ends the line of streamed text before other output. */
export function endStream(): void {
  if (streamed.isLineOpen) process.stdout.write('\n')
  streamed = { ...streamed, isLineOpen: false }
}

/** Writes output that is shown in every mode: errors, questions, links. */
export function alert(text: string): void {
  endStream()
  status?.erase()
  if (held === undefined) process.stderr.write(`${safe(text)}\n`)
  else held.push(text)
}

/** Holds back notes while a person types an answer, so that they do not break the input line. */
export function holdNotes(): void {
  held ??= []
}

/** Writes the notes that were held back, and stops holding notes back. */
export function releaseNotes(): void {
  const texts = held ?? []
  held = undefined
  for (const text of texts) alert(text)
}

/** Matches the colour codes that notes use. */
const COLOURS = new RegExp(`(${String.fromCharCode(0x1b)}\\[(?:2|22|31|33|36|39)m)`, 'u')

/** Escapes control characters in recorded text, so that it cannot control the terminal. The colours of `paint` are kept. */
function safe(text: string): string {
  return text
    .split(COLOURS)
    .map((piece, index) => (index % 2 === 1 ? piece : visible(piece)))
    .join('')
}

/** Colours notes. `styleText` checks the stream, NO_COLOR and FORCE_COLOR, unless --color is set. */
export const paint: typeof styleText = (format, text) => {
  if (mode.color === 'never') return text
  return styleText(format, text, mode.color === 'always' ? { validateStream: false } : { stream: process.stderr })
}

/** Colours data on stdout, by the same rules. */
export const paintData: typeof styleText = (format, text) => {
  if (mode.color === 'never') return text
  return styleText(format, text, mode.color === 'always' ? { validateStream: false } : { stream: process.stdout })
}

/** Prints data as JSON or as text, depending on the flags. */
export function print(flags: Flags, json: unknown, text: () => string): void {
  if (flags.jsonl && Array.isArray(json)) return json.forEach(printLine)
  if (flags.json || flags.jsonl) return printLine(json)
  const out = text()
  if (out !== '') writeData(`${visible(out)}\n`)
}

/** Like `print`, for lines that `paintData` has coloured. Recorded text must be escaped before it is coloured. */
export function printPainted(flags: Flags, json: unknown, lines: () => readonly string[]): void {
  if (flags.json || flags.jsonl) return print(flags, json, () => '')
  writeData(`${lines().map(safe).join('\n')}\n`)
}

/** Like `print`, for an answer: it is written unchanged to a file or a pipe. */
export function printAnswer(flags: Flags, json: unknown, text: () => string): void {
  if (flags.json || flags.jsonl || process.stdout.isTTY) return print(flags, json, text)
  const out = text()
  if (out !== '') writeData(`${out}\n`)
}

export function printLine(json: unknown): void {
  writeData(`${oneLine(JSON.stringify(json))}\n`)
}

/** Describes tokens and their cost; `cost` is `undefined` if a price is unknown. */
export function spentText(tokens: number, cost: number | undefined, isEstimated: boolean | undefined): string {
  const money = cost === undefined ? 'cost unknown' : `$${cost.toFixed(4)}`
  return `${count(tokens, 'token')}, ${money}${isEstimated === true ? ' (estimated)' : ''}`
}

/** Formats a count with its noun: `1 run`, `2 runs`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

export function clip(value: unknown, length = 100): string {
  const text = typeof value === 'string' ? value : ((JSON.stringify(value) as string | undefined) ?? '')
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

/** Formats rows as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string {
  // The last column is not padded, so its cells can be of any length.
  const widthOf = (row: readonly string[], column: number): number =>
    column < row.length - 1 ? (row[column]?.length ?? 0) : 0
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row, column))))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
    )
    .join('\n')
}
