import { describe, expect, it } from 'vitest'
import { fencedCells } from './fenced-cell.ts'

describe('the cell in a reply', () => {
  it.each<[string, string, string | undefined]>([
    ['a block with any mark of a language', 'Look:\n```js\n1 + 1\n```\nThen.', '1 + 1'],
    ['a block without one', '```\nx\n```', 'x'],
    ['the last of several', '```js\na\n```\n```js\nb\n```', 'b'],
    ['none of what the model thought', '<think>\n```js\na\n```\n</think>\n```js\nb\n```', 'b'],
    ['none in another language', '```python\nprint(1)\n```', undefined],
    ['tildes', '~~~repl\nx\n~~~', 'x'],
    ['a longer fence around a shorter one', '````js\n```\n````', '```'],
    ['a fence after a few spaces, with carriage returns', '  ```ts\r\nx\r\n  ```\r\n', 'x'],
    ['none in prose', 'It is `42`, or ``` so.', undefined],
    ['none that is not closed', '```js\nx', undefined],
    ['none that is blank', '```js\n\n```', undefined],
    ['none in a block of data, but the one after it', '```json\n{}\n```\n```js\nx\n```', 'x'],
    ['none where there is data alone', '```text\nhello\n```', undefined],
    ['a template string with backticks on a line of their own text', '```js\nconst a = `b`\n```', 'const a = `b`'],
  ])('%s', (_, reply, cell) => {
    expect(fencedCells(reply).cells.at(-1)).toBe(cell)
  })

  it('comes with the others, which are not run', () => {
    expect(fencedCells('```js\na\n```\n```json\n{}\n```\n~~~\nb\n~~~\n```js\nopen').cells).toEqual(['a', 'b'])
  })

  it('names the languages that are not run', () => {
    expect(fencedCells('```python\nx = 1\n```\n```bash\nls\n```').foreign).toEqual(['python', 'bash'])
  })

  it('is found in linear time', () => {
    expect(fencedCells('```js\n'.repeat(20_000)).cells).toEqual([])
    expect(fencedCells('`'.repeat(200_000)).cells).toEqual([])
    expect(fencedCells('<think>'.repeat(50_000)).cells).toEqual([])
  })
})
