import { DIRECTION } from '../../../core/index.ts'
import { readTextLiteral } from '../syntax/text-literal.ts'
import { UNITS } from '../syntax/token.ts'

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\\': '\\\\', '"': '\\"' }
const UNSEEN = new RegExp(`(?![\\n\\t\\r])[\\p{Cc}\\u2028\\u2029\\uFEFF]|${DIRECTION.source}`, 'gu')

/** A text in quotes: as a text block if it has several lines and can be written as one. */
export function writeText(value: string): string {
  if (value.includes('\n')) {
    const inner = value.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""').replaceAll('\r', '\\r')
    const block = `"""\n${escapeUnseen(inner)}\n"""`
    const read = readTextLiteral(block, 0)
    if (read.end === block.length && read.value === value) return block
  }
  return `"${escapeUnseen(value.replaceAll(/[\n\t\r\\"]/g, (found) => SHORT[found]!))}"`
}

function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (found) => `\\u{${found.codePointAt(0)!.toString(16)}}`)
}

/** Milliseconds in the largest unit that divides them. */
export function writeDuration(ms: number): string {
  const fitting = Object.entries(UNITS).findLast(([, size]) => ms > 0 && ms % size === 0)
  return fitting === undefined ? `${ms}ms` : `${ms / fitting[1]}${fitting[0]}`
}
