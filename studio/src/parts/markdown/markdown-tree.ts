/** An inline node. */
export type Inline =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis' | 'deleted'; readonly of: readonly Inline[] }
  /** Links and images are shown with the complete address; images are never loaded. */
  | { readonly type: 'link' | 'image'; readonly text: string; readonly address: string }

export type Block =
  | { readonly type: 'heading'; readonly level: number; readonly of: readonly Inline[] }
  | { readonly type: 'paragraph'; readonly of: readonly Inline[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'quote'; readonly of: readonly Block[] }
  | {
      readonly type: 'list'
      readonly isOrdered: boolean
      readonly start: number
      readonly items: readonly (readonly Block[])[]
    }
  | {
      readonly type: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }
  | { readonly type: 'rule' }

/** Maximum nesting of quotes and lists; deeper ones are text. */
const DEPTH_MAX = 8
const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)[^`]*$/
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])\s+(.*)$/
const TABLE_LINE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/** Parses the subset of Markdown that models write. HTML is treated as text. Each line is parsed once, so the time is linear. */
export function markdownTree(text: string, depth = 0): readonly Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!
    const fence = FENCE.exec(line)
    const heading = HEADING.exec(line)
    if (line.trim() === '') at += 1
    else if (fence !== null) at = readCode(lines, at, fence, blocks)
    else if (heading !== null) {
      blocks.push({ type: 'heading', level: heading[1]!.length, of: inlineTree(heading[2]!) })
      at += 1
    } else if (RULE.test(line)) {
      blocks.push({ type: 'rule' })
      at += 1
    } else if (line.startsWith('>') && depth < DEPTH_MAX) {
      const end = lines.findIndex((each, index) => index >= at && !each.startsWith('>'))
      const quoted = lines.slice(at, end < 0 ? lines.length : end)
      blocks.push({
        type: 'quote',
        of: markdownTree(quoted.map((each) => each.replace(/^> ?/, '')).join('\n'), depth + 1),
      })
      at += quoted.length
    } else if (ITEM.test(line) && depth < DEPTH_MAX) at = readList(lines, at, depth, blocks)
    else if (line.includes('|') && TABLE_LINE.test(lines[at + 1] ?? '')) at = readTable(lines, at, blocks)
    else at = readParagraph(lines, at, blocks)
  }
  return blocks
}

function readCode(
  lines: readonly string[],
  at: number,
  [, mark = '', language = '']: RegExpExecArray,
  blocks: Block[],
): number {
  const end = lines.findIndex(
    (line, index) => index > at && line.trim().startsWith(mark) && line.trim().replaceAll(mark[0]!, '') === '',
  )
  const last = end < 0 ? lines.length : end
  blocks.push({ type: 'code', language, text: lines.slice(at + 1, last).join('\n') })
  return last + 1
}

function readList(lines: readonly string[], from: number, depth: number, blocks: Block[]): number {
  const [, , mark = ''] = ITEM.exec(lines[from]!)!
  const isOrdered = /\d/.test(mark)
  const items: string[][] = []
  let at = from
  for (; at < lines.length; at += 1) {
    const line = lines[at]!
    const item = ITEM.exec(line)
    if (item !== null && /\d/.test(item[2]!) === isOrdered) items.push([item[3]!])
    else if (/^\s+\S/.test(line) && items.length > 0) items.at(-1)!.push(line.replace(/^ {1,4}/, ''))
    else if (line.trim() === '' && ITEM.test(lines[at + 1] ?? '')) continue
    else break
  }
  blocks.push({
    type: 'list',
    isOrdered,
    start: isOrdered ? Number.parseInt(mark, 10) : 1,
    items: items.map((item) => markdownTree(item.join('\n'), depth + 1)),
  })
  return at
}

function readTable(lines: readonly string[], at: number, blocks: Block[]): number {
  const cells = (line: string): readonly (readonly Inline[])[] =>
    line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inlineTree(cell.trim()))
  let end = at + 2
  while (end < lines.length && lines[end]!.includes('|') && lines[end]!.trim() !== '') end += 1
  blocks.push({ type: 'table', head: cells(lines[at]!), rows: lines.slice(at + 2, end).map(cells) })
  return end
}

function readParagraph(lines: readonly string[], at: number, blocks: Block[]): number {
  const startsOther = (line: string): boolean =>
    line.trim() === '' || FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || line.startsWith('>')
  let end = at + 1
  while (end < lines.length && !startsOther(lines[end]!)) end += 1
  blocks.push({ type: 'paragraph', of: inlineTree(lines.slice(at, end).join('\n')) })
  return end
}

/** Matches inline nodes in order of precedence: code, strong, emphasis, deleted, images and links. Lengths are bounded to limit backtracking. */
const INLINE =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*|__([^_\n]{1,2000})__|\*([^*\s][^*\n]{0,2000})\*|~~([^~\n]{1,2000})~~|(!?)\[([^\]\n]{0,200})\]\(([^)\s]{1,1000})(?:\s[^)\n]{0,200})?\)/g

export function inlineTree(text: string): readonly Inline[] {
  const found: Inline[] = []
  let done = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > done) found.push({ type: 'text', text: text.slice(done, match.index) })
    done = match.index + match[0].length
    const [, code, bold, bolder, leaning, deleted, bang, label = '', address = ''] = match
    if (code !== undefined) found.push({ type: 'code', text: code })
    else if (bold !== undefined || bolder !== undefined)
      found.push({ type: 'strong', of: inlineTree((bold ?? bolder)!) })
    else if (leaning !== undefined) found.push({ type: 'emphasis', of: inlineTree(leaning) })
    else if (deleted !== undefined) found.push({ type: 'deleted', of: inlineTree(deleted) })
    else found.push({ type: bang === '!' ? 'image' : 'link', text: label, address })
  }
  if (done < text.length) found.push({ type: 'text', text: text.slice(done) })
  return found
}
