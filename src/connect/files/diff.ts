const LINES_MAX = 2_000
const SHOWN_MAX = 400
const AROUND = 3

/** A line diff of two texts, for approvers. Long texts are compared only by their common beginning and end. */
export function diffLines(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1
  const middle = compare(old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  if (middle.length === 0) return ''
  const lines = [
    `@@ line ${Math.max(1, head - AROUND + 1)} @@`,
    ...old.slice(Math.max(0, head - AROUND), head).map((line) => ` ${line}`),
    ...middle,
    ...old.slice(old.length - tail, Math.min(old.length, old.length - tail + AROUND)).map((line) => ` ${line}`),
  ]
  const left = lines.length - SHOWN_MAX
  return (left > 0 ? [...lines.slice(0, SHOWN_MAX), `… ${left} more lines`] : lines).join('\n')
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n')
}

/** The longest common subsequence of lines stays, other lines are removed and added. */
function compare(old: readonly string[], now: readonly string[]): readonly string[] {
  if (old.length * now.length > LINES_MAX * LINES_MAX)
    return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)]
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(` ${old[i]!}`)
      i += 1
      j += 1
    } else if (j === now.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      lines.push(`-${old[i++]!}`)
    else lines.push(`+${now[j++]!}`)
  }
  return lines
}
