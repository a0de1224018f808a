import type { Json } from '../../../../src/core/index.ts'
import { spoken } from '../../../../src/server/studio/light-entry.ts'
import type { Row } from '../../journal/timeline-rows.ts'
import { isPreview } from '../../parts/preview.ts'
import { oneLine } from '../../parts/markdown/one-line.ts'

const TEXT_MAX = 160

/** What tells a line from others of its name: what went wrong, what a model said, or else what the call was given. */
export function rowText(row: Row): string {
  const { kind, error } = row
  const text = brief(tellingOf(row))
  // Models write markdown; what tools are given is shown as it is.
  return kind === 'model' && error === undefined ? oneLine(text).slice(0, TEXT_MAX) : text.slice(0, TEXT_MAX)
}

/** Made again only for another value: a search asks for the text of every line. */
const searched = new WeakMap<Row, { readonly of: unknown; readonly name: string; readonly text: string }>()

/** What a filter looks through besides how the line stands. */
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

/** The beginning of a value in words. */
function brief(value: unknown): string {
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
