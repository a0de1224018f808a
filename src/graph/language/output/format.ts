import type { Diagnostic } from '../../blueprint/diagnostic.ts'
import { DIAGNOSTICS_MAX, Report } from '../../blueprint/report.ts'
import { blockLines } from '../syntax/text-literal.ts'
import type { FormatTree, Group, Leaf, Part } from './format-tree.ts'
import { formatTree } from './format-tree.ts'
import { readTokens } from '../syntax/lexer.ts'
import { parseFile } from '../syntax/parser.ts'
import type { Comment } from '../syntax/token.ts'

const WIDTH = 100
const INDENT = '  '

interface FormattedRag {
  /** Absent if the text has syntax errors. */
  readonly text?: string | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Formats `.rag` text. Comments and single empty lines are kept, and the meaning does not change. A text with syntax errors is not changed: the
 * result has findings and no `text`.
 *
 * @example
 * ```ts
 * import { formatRag } from 'mandate/graph'
 * const { text } = formatRag('graph hello{start say // the only node\nnode say{prompt "Say hello." next END}}')
 * console.log(text)
 * ```
 */
export function formatRag(source: string): FormattedRag {
  const report = new Report(DIAGNOSTICS_MAX)
  const tokens = readTokens(source, report)
  const { layout } = parseFile(tokens, report)
  const diagnostics = report.diagnostics()
  return report.errors > 0 ? { diagnostics } : { text: write(formatTree(tokens, layout)), diagnostics }
}

function write({ items, end }: FormatTree): string {
  const writer = new Writer()
  writer.items(items, 0, false)
  writer.comments(end.comments, 0, items.length === 0)
  return writer.text()
}

class Writer {
  readonly #lines: string[] = []
  #line = ''

  text(): string {
    const lines = [...this.#lines, this.#line]
    while (lines[0] === '') lines.shift()
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  items(items: readonly (readonly Part[])[], indent: number, isList: boolean): void {
    items.forEach((parts, index) => {
      const first = leafOf(parts[0]!)
      const isStart = index === 0
      this.comments(first.comments, indent, isStart, isList)
      const follows = first.comments.some((comment) => !comment.isTrailing)
      // Graphs are separated by empty lines; elsewhere existing empty lines are kept.
      const isTop = indent === 0 && !follows
      this.#newLine(indent, (!isStart || follows) && !isList && (first.isApart || isTop))
      this.#item(parts, indent)
      if (isList) this.#line += ','
    })
  }

  /** Comments between two items: on the line of the previous one, or on their own lines. */
  comments(comments: readonly Comment[], indent: number, isStart: boolean, isList = false): void {
    comments.forEach((comment, index) => {
      if (comment.isTrailing && index === 0 && this.#line.trim() !== '') {
        this.#line += ` ${comment.text}`
        return
      }
      const isTop = indent === 0 && index === 0
      this.#newLine(indent, !(isStart && index === 0) && !isList && (comment.isApart || isTop))
      this.#line += comment.text
    })
  }

  #item(parts: readonly Part[], indent: number): void {
    const flat = flatItem(parts)
    if (flat !== undefined && indent * INDENT.length + flat.length <= WIDTH) {
      this.#line += flat
      return
    }
    parts.forEach((part, index) => {
      const isSpaced = index > 0 && !this.#commentsWithin(leafOf(part), indent) && !leafOf(part).isGlued
      if (isSpaced) this.#line += ' '
      if ('open' in part) this.#group(part, indent)
      else this.#literal(part.text, indent)
    })
  }

  /** A comment inside an item ends its line; the item continues on the next one. */
  #commentsWithin(leaf: Leaf, indent: number): boolean {
    for (const comment of leaf.comments) {
      if (comment.isTrailing) this.#line += ' '
      else this.#newLine(indent + 1, false)
      this.#line += comment.text
    }
    if (leaf.comments.length > 0) this.#newLine(indent + 1, false)
    return leaf.comments.length > 0
  }

  #group(group: Group, indent: number): void {
    const flat = flatGroup(group)
    if (flat !== undefined && this.#line.length + flat.length <= WIDTH) {
      this.#line += flat
      return
    }
    this.#line += group.open.text
    this.items(group.items, indent + 1, group.isList)
    this.comments(group.close.comments, indent + 1, group.items.length === 0, group.isList)
    this.#newLine(indent, false)
    this.#line += group.close.text
  }

  /** A text block is indented as a whole. */
  #literal(text: string, indent: number): void {
    const lines = text.startsWith('"""') ? blockLines(text) : undefined
    if (lines === undefined) {
      const [first, ...rest] = escapeReturns(text.replaceAll('\r\n', '\n')).split('\n')
      this.#line += first
      for (const line of rest) {
        this.#lines.push(this.#line)
        this.#line = line
      }
      return
    }
    this.#line += '"""'
    for (const line of lines) {
      this.#newLine(line === '' ? 0 : indent + 1, false)
      this.#line += escapeReturns(line)
    }
    this.#newLine(indent + 1, false)
    this.#line += '"""'
  }

  #newLine(indent: number, isApart: boolean): void {
    this.#lines.push(this.#line)
    if (isApart) this.#lines.push('')
    this.#line = INDENT.repeat(indent)
  }
}

/** A carriage return in the middle of a line could move to its end, where it would be part of the line break. */
function escapeReturns(text: string): string {
  return text.replaceAll('\r', '\\r')
}

function leafOf(part: Part): Leaf {
  return 'open' in part ? part.open : part
}

/** An item on one line, if possible. */
function flatItem(parts: readonly Part[]): string | undefined {
  let text = ''
  for (const [index, part] of parts.entries()) {
    const leaf = leafOf(part)
    if (index > 0 && leaf.comments.length > 0) return undefined
    const flat = 'open' in part ? flatGroup(part) : part.text
    if (flat === undefined || flat.includes('\n')) return undefined
    text += index === 0 || leaf.isGlued ? flat : ` ${flat}`
  }
  return text
}

function flatGroup(group: Group): string | undefined {
  if (group.isBroken) return undefined
  const items = group.items.map(flatItem)
  if (items.some((item) => item === undefined)) return undefined
  if (group.isList) return `[${items.join(', ')}]`
  return items.length === 0 ? '{ }' : `{ ${items.join(' ')} }`
}
