import { markdownTree } from './markdown-tree.ts'
import type { Block, Inline } from './markdown-tree.ts'

/** Converts Markdown to one line of plain text. Tables and code are left out if there is other text. */
export function oneLine(text: string): string {
  const blocks = markdownTree(text)
  const prose = blocks.flatMap(proseOf).join(' ')
  return (prose === '' ? blocks.flatMap(restOf).join(' ') : prose).replaceAll(/\s+/g, ' ').trim()
}

function proseOf(block: Block): readonly string[] {
  if (block.type === 'heading' || block.type === 'paragraph') return [wordsOf(block.of)]
  if (block.type === 'quote') return block.of.flatMap(proseOf)
  return block.type === 'list' ? block.items.flatMap((item) => item.flatMap(proseOf)) : []
}

function restOf(block: Block): readonly string[] {
  if (block.type === 'code') return [block.text]
  return block.type === 'table' ? [block.head, ...block.rows].map((cells) => cells.map(wordsOf).join(' ')) : []
}

function wordsOf(parts: readonly Inline[]): string {
  return parts.map((part) => ('of' in part ? wordsOf(part.of) : part.text)).join('')
}
