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

/** Languages that are run: the one of cells, under the names that models give it, and no name at all. */
const RUN = new Set([
  '',
  'js',
  'javascript',
  'mjs',
  'cjs',
  'jsx',
  'ts',
  'typescript',
  'tsx',
  'node',
  'repl',
  'cell',
  'code',
])

/** Removes what servers of some models leave in the text: what the model thought, drafts of cells included. */
function withoutThoughts(reply: string): string {
  let said = ''
  let rest = reply
  for (;;) {
    const [open, name] = /<(think|thinking)>/u.exec(rest) ?? []
    if (open === undefined) return said + rest
    const start = rest.indexOf(open)
    const close = `</${name}>`
    const end = rest.indexOf(close, start)
    if (end < 0) return said + rest
    said += rest.slice(0, start)
    rest = rest.slice(end + close.length)
  }
}

/** The code in a model's reply. */
interface FencedCells {
  /** The sources of the cells. The last one is run: what comes before it in one reply is a draft. */
  readonly cells: readonly string[]
  /** Languages of blocks that would be code and are not run. */
  readonly foreign: readonly string[]
}

/**
 * Returns the cells in a model's reply: fenced blocks that are closed, not blank and not marked as data or as another language. Fences follow Markdown:
 * three or more backticks or tildes, closed by a line with at least as many of the same character.
 */
export function fencedCells(reply: string): FencedCells {
  const cells: string[] = []
  const foreign = new Set<string>()
  const lines = withoutThoughts(reply).split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)[^`]*$/.exec(lines[at]!) ?? []
    if (fence === undefined) continue
    const end = closingLine(lines, at + 1, fence)
    if (end < 0) break
    const body = lines.slice(at + 1, end).join('\n')
    const language = info.toLowerCase()
    if (body.trim() !== '' && !DATA.has(language)) {
      if (RUN.has(language)) cells.push(body)
      else foreign.add(info)
    }
    at = end
  }
  return { cells, foreign: [...foreign] }
}

function closingLine(lines: readonly string[], from: number, fence: string): number {
  const mark = fence[0]!
  for (let at = from; at < lines.length; at++) {
    const line = lines[at]!.trim()
    if (line.length >= fence.length && line === mark.repeat(line.length)) return at
  }
  return -1
}
