import { styleText } from 'node:util'
import type { Json } from '../core/index.ts'
import type { Flags } from './flags.ts'

/** Notes go to stderr, so that stdout holds nothing but data. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Colour for notes: `styleText` looks at the stream, NO_COLOR and FORCE_COLOR. */
export const paint: typeof styleText = (format, text) => styleText(format, text, { stream: process.stderr })

/** Data, as a program or as a person wants it. */
export function print(flags: Flags, json: unknown, text: () => string): void {
  const out = flags.json || flags.jsonl ? JSON.stringify(json) : text()
  if (out !== '') process.stdout.write(`${out}\n`)
}

export function printLine(json: unknown): void {
  process.stdout.write(`${JSON.stringify(json)}\n`)
}

export function clip(value: Json | undefined, length = 100): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

/** Rows as columns that line up. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
    )
    .join('\n')
}
