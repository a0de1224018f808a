/** How many characters a text has; a surrogate pair is one. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
