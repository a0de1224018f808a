import type { Fields, Kind } from './fields.ts'

/** One atom as a table says it. */
export interface AtomRow {
  readonly op: string
  readonly input: Fields
  readonly output: Kind
  /** A number, or the name of a way to compute it. */
  readonly cost: string
  /** Milliseconds, `pure`, `read`, `write` and `again`, as far as they are said. */
  readonly how: readonly string[]
  readonly docs: string
}

/** Reads a table of atoms: operation; fields; what it gives; cost; how it is called; what it does. A field without a kind is anything. */
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
