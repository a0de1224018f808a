/** Languages of code blocks that contain data or text and are not run. */
const DATA = new Set([
  'json',
  'jsonl',
  'text',
  'txt',
  'plaintext',
  'output',
  'rag',
  'csv',
  'xml',
  'html',
  'markdown',
  'md',
  'yaml',
])

/**
 * Returns the cells in a model's reply: fenced blocks that are closed, not blank and not marked as data. Only the first one is run. Fences follow Markdown:
 * three or more backticks or tildes, closed by a line with at least as many of the same character.
 */
export function fencedCells(reply: string): readonly string[] {
  const cells: string[] = []
  const lines = reply.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(lines[at]!) ?? []
    if (fence === undefined) continue
    const end = closingLine(lines, at + 1, fence)
    if (end < 0) break
    const body = lines.slice(at + 1, end).join('\n')
    if (body.trim() !== '' && !DATA.has(info.toLowerCase())) cells.push(body)
    at = end
  }
  return cells
}

function closingLine(lines: readonly string[], from: number, fence: string): number {
  const mark = fence[0]!
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!.trim()
    if (line.length >= fence.length && line === mark.repeat(line.length)) return at
  }
  return -1
}
