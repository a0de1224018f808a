import { type Json, canonical } from '../../core/index.ts'

const WIDTH = 110

/** Formats JSON for readable diffs: sorted keys, short values on one line, everything else member by member. Equal values give equal text. */
export function layout(value: Json, indent = ''): string {
  const line = canonical(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) => inner + layout(item, inner))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${inner}${JSON.stringify(key)}: ${layout(member, inner)}`)
  return `{\n${members.join(',\n')}\n${indent}}`
}
