import { expect, test } from 'vitest'
import { Report } from '../../blueprint/report.ts'
import { readTokens } from './lexer.ts'

const tokens = (source: string): unknown[] =>
  readTokens(source, new Report(10)).map(({ kind, value, line, column }) => [kind, value, line, column])

test('words, literals and signs have their kinds, values and places', () => {
  expect(tokens('node a {\n  visits -3 timeout 1.5s\n  routes { x->b } }')).toEqual([
    ['word', 'node', 1, 1],
    ['word', 'a', 1, 6],
    ['sign', '{', 1, 8],
    ['word', 'visits', 2, 3],
    ['number', -3, 2, 10],
    ['word', 'timeout', 2, 13],
    ['duration', 1500, 2, 21],
    ['word', 'routes', 3, 3],
    ['sign', '{', 3, 10],
    ['word', 'x', 3, 12],
    ['sign', '->', 3, 13],
    ['word', 'b', 3, 15],
    ['sign', '}', 3, 17],
    ['sign', '}', 3, 19],
    ['end', '', 3, 20],
  ])
})

test('columns count characters, offsets count UTF-16 units', () => {
  const [, second] = readTokens('"🚀🚀" x', new Report(10))
  expect(second).toMatchObject({ column: 6, start: 7, end: 8 })
})

test('a comment belongs to the token after it, and knows whether it is on its own line', () => {
  const [, second, end] = readTokens('a // one\n\n// two\nb // three', new Report(10))
  expect(second!.comments).toEqual([
    { text: '// one', isTrailing: true, isApart: false },
    { text: '// two', isTrailing: false, isApart: true },
  ])
  expect(second).toMatchObject({ isFirst: true, isApart: false })
  expect(end!.comments).toEqual([{ text: '// three', isTrailing: true, isApart: false }])
})

test('a text over the limit is refused before it is read', () => {
  const report = new Report(10)
  expect(readTokens('x'.repeat(500_001), report)).toHaveLength(1)
  expect(report.diagnostics()).toMatchObject([{ code: 'E-rag-too-large' }])
  expect(readTokens('x'.repeat(500_000), new Report(10))).toHaveLength(2)
})
