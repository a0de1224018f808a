/** The length of a text in characters; a surrogate pair is one. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
