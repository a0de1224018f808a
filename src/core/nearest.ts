/** Longer words are not typing mistakes; comparing them would only cost time. */
const LENGTH_MAX = 64

/** The candidate that was probably meant by `word`, if one is near enough: different case or dashes, or a few typing mistakes. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > LENGTH_MAX) return undefined
  const plain = plainOf(word)
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(plain.length / 3)) + 1
  for (const candidate of candidates) {
    if (candidate.length > LENGTH_MAX || Math.abs(candidate.length - word.length) >= bestDistance + 2) continue
    const distance = editDistance(plain, plainOf(candidate))
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

function plainOf(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s]/g, '')
}

/** The edit distance with transpositions, computed one row at a time. */
function editDistance(a: string, b: string): number {
  let above: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1, isSwap ? above[j - 2]! + 1 : Infinity))
    }
    above = row
    row = next
  }
  return row[b.length]!
}
