import { expect, test } from 'vitest'
import { inlineTree, markdownTree } from '../../studio/src/parts/markdown/markdown-tree.ts'
import { staleCells } from '../../studio/src/pages/run/stale-cells.ts'

test('headings, lists, tables, quotes and code of a text are told apart, and HTML is text', () => {
  const blocks = markdownTree(
    '# A\n\ntext **b** `c`\n\n- one\n- two\n  more\n\n1. first\n\n> said\n\n|a|b|\n|-|-|\n|1|2|\n\n```js\n<b>\n```\n---\n<img src=x onerror=alert(1)>',
  )
  expect(blocks.map(({ type }) => type)).toEqual([
    'heading',
    'paragraph',
    'list',
    'list',
    'quote',
    'table',
    'code',
    'rule',
    'paragraph',
  ])
  expect(blocks.at(-1)).toEqual({ type: 'paragraph', of: [{ type: 'text', text: '<img src=x onerror=alert(1)>' }] })
  expect(blocks[6]).toEqual({ type: 'code', language: 'js', text: '<b>' })
})

test('links and images keep their whole address and are never anything else', () => {
  expect(inlineTree('see [x](javascript:alert(1) and ![y](https://evil.example/?d=S)')).toEqual([
    { type: 'text', text: 'see ' },
    { type: 'link', text: 'x', address: 'javascript:alert(1' },
    { type: 'text', text: ' and ' },
    { type: 'image', text: 'y', address: 'https://evil.example/?d=S' },
  ])
})

test('texts that are made to take long do not', () => {
  const started = performance.now()
  for (const text of [
    '*'.repeat(40_000),
    '['.repeat(40_000),
    '> '.repeat(20_000),
    '- '.repeat(20_000),
    '`'.repeat(40_000),
    '|'.repeat(20_000) + '\n' + '-|'.repeat(10_000),
    '![](('.repeat(8_000),
  ])
    markdownTree(text)
  expect(performance.now() - started).toBeLessThan(20_000)
})

test('cells are stale when a later cell changed what they were made from, and what was made from them is too', () => {
  const cells = [
    { source: 'let rows = [1, 2]', changed: ['rows'] },
    { source: 'const dear = rows.filter(Boolean)', changed: ['dear'] },
    { source: 'dear.length', changed: [] },
    { source: 'other', changed: [] },
    { source: 'rows = [3]', changed: ['rows'] },
  ]
  expect(staleCells(cells)).toEqual([
    undefined,
    { by: 5, variable: 'rows' },
    { by: 2, variable: 'dear' },
    undefined,
    undefined,
  ])
  expect(staleCells(cells.slice(0, 4))).toEqual([undefined, undefined, undefined, undefined])
})
