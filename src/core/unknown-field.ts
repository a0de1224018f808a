import { nearest } from './nearest.ts'

/** What is said of a field that nobody knows: which one was meant, or which there are. */
export function unknownField(field: string, what: string, known: readonly string[]): string {
  const meant = nearest(field, known)
  const hint = meant === undefined ? `Known: ${known.join(', ')}` : `Did you mean \`${meant}\`?`
  return `\`${field}\` is not ${what}. ${hint}`
}
