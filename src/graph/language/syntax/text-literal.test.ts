import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTextLiteral } from './text-literal.ts'
import { writeDuration, writeText } from '../output/text-writer.ts'

test('every text that is well formed can be written and read again', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', ' ', 'a', '\u202E', '\u2028', '\u0000', '{') }),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const literal = writeText(text)
      const read = readTextLiteral(`${literal} next`, 0)
      expect(read).toMatchObject({ value: text, isClosed: true, badEscapes: [], end: literal.length })
    }),
    { numRuns: 1000 },
  )
})

test('a text of several lines is written as a block where that says the same', () => {
  expect(writeText('one\ntwo')).toBe('"""\none\ntwo\n"""')
  expect(writeText('  all\n  indented')).toBe(String.raw`"  all\n  indented"`)
  expect(writeText('one\n')).toBe('"""\none\n\n"""')
})

test('every unit of a text has its position in the source', () => {
  const source = String.raw`x "a\n\u{1F680}b"`
  const { value, offsets } = readTextLiteral(source, 2)
  expect(value).toBe('a\n🚀b')
  expect(offsets.map((offset) => source.slice(offset, offset + 2))).toEqual(['a\\', '\\n', '\\u', '\\u', 'b"', '"'])
})

test.each([
  [0, '0ms'],
  [1, '1ms'],
  [999, '999ms'],
  [1500, '1500ms'],
  [60_000, '1m'],
  [90_000, '90s'],
  [86_400_000, '1d'],
  [90_000_000, '25h'],
])('%i milliseconds are written %s', (ms, text) => expect(writeDuration(ms)).toBe(text))
