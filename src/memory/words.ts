/** The words of a text, lower-case, each once. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

/** How much of a query a text holds: whole words count fully, beginnings of words half. From 0 to the number of the query's words. */
export function scoreWords(query: ReadonlySet<string>, text: string): number {
  if (query.size === 0) return 0
  const words = wordsOf(text)
  let score = 0
  for (const word of query) {
    if (words.has(word)) score += 1
    else if (word.length > 2 && [...words].some((other) => other.startsWith(word))) score += 0.5
  }
  return score
}
