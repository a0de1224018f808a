import type { Fields, Kind } from './fields.ts'

/** One row of an atom table. */
export interface AtomRow {
  readonly op: string
  readonly input: Fields
  readonly output: Kind
  /** A number, or the name of a cost function. */
  readonly cost: string
  /** Any of: a timeout in milliseconds, `pure`, `read`, `write`, `again` (idempotent). */
  readonly how: readonly string[]
  readonly docs: string
}

/** Parses a table of atoms: operation; fields; result; cost; flags; description. A field without a kind accepts anything. */
export function atomRows(table: string): AtomRow[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [op, fields, output, cost, how, ...docs] = line.split('; ') as [string, string, Kind, string, string]
      return { op, input: fieldsOf(fields), output, cost, how: how.split(' '), docs: docs.join('; ') }
    })
}

function fieldsOf(text: string): Fields {
  const fields = text.split(' ').map((field) => {
    const [name = '', kind = `any${name.endsWith('?') ? '?' : ''}`] = field.split(':')
    return [name.replace('?', ''), kind]
  })
  return Object.fromEntries(fields.filter(([name]) => name !== '-')) as Fields
}
