import type { Json } from '../../../../src/core/index.ts'
import { spoken } from '../../../../src/server/studio/light-entry.ts'
import type { Row } from '../../journal/timeline-rows.ts'
import { isPreview } from '../../parts/preview.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'

const TEXT_MAX = 160

/** Returns the text that distinguishes a row from others of the same name: its error, the model's text, or the input. */
export function rowText(row: Row): string {
  const { kind, error } = row
  const text = brief(tellingOf(row))
  // Models write Markdown; inputs of tools are shown unchanged.
  return kind === 'model' && error === undefined ? oneLine(text).slice(0, TEXT_MAX) : text.slice(0, TEXT_MAX)
}

/** Cache of the searched text, because a search needs the text of every row. An item is recomputed when its value changes. */
const searched = new WeakMap<Row, { readonly of: unknown; readonly name: string; readonly text: string }>()

/** Returns the text that a filter searches, without the status. */
export function searchedText(row: Row): string {
  const of = tellingOf(row)
  const known = searched.get(row)
  if (known !== undefined && known.of === of && known.name === row.name) return known.text
  const text = `${row.kind}:${row.name} ${row.key} ${brief(of)}`.toLowerCase()
  searched.set(row, { of, name: row.name, text })
  return text
}

function tellingOf({ kind, input, output, error }: Row): unknown {
  return error ?? (kind === 'model' ? output : input)
}

/** Returns a value in one line: its text, or its members. */
export function brief(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (isPreview(value)) return value.$preview
  if (typeof value === 'string') return value
  const words = spoken(value as Json)
  if (words !== undefined) return words
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, member]) => `${name}: ${typeof member === 'string' ? member : JSON.stringify(member)}`)
    .join(', ')
}
