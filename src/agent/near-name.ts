/** The known name that someone who wrote `word` most likely meant, if one is near enough: other case, other dashes, a slip or two. */
export function nearName(word: string, names: readonly string[]): string | undefined {
  const plain = plainOf(word)
  let best: string | undefined
  let bestSlips = Math.max(1, Math.floor(plain.length / 4)) + 1
  for (const name of names) {
    const slips = slipsBetween(plain, plainOf(name))
    if (slips < bestSlips) [best, bestSlips] = [name, slips]
  }
  return best
}

function plainOf(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}

/** How many letters are changed, added or left out. */
function slipsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
