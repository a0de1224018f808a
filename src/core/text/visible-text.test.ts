import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLine, visible } from '../index.ts'

test('text for a terminal has no control characters', () => {
  expect(visible('\u001B[2J\u009B31m\u0007red\u202Ederutrever\u2069')).toBe(
    String.raw`\u001b[2J\u009b31m\u0007red\u202ederutrever\u2069`,
  )
  expect(visible('two\nlines\tand ünïcödé 👩‍👩‍👧 עברית')).toBe('two\nlines\tand ünïcödé 👩‍👩‍👧 עברית')
})

test('any value becomes a single line for every reader, and parses to the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const line = jsonLine([value, text, { [text]: 1 }])
      expect(/[\p{Cc}\u2028\u2029]/u.test(line)).toBe(false)
      expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify([value, text, { [text]: 1 }])))
    }),
  )
  for (const text of ['a\u0085b', 'a\u2028b', '\uFEFFa', '\uD800'])
    expect(JSON.parse(jsonLine({ text }))).toEqual({ text })
})

test('what has no width, and tags that only a model reads, are shown', () => {
  expect(visible('a\u200Bb\u{E0041}c\uFEFF')).toBe(String.raw`a\u200bb\u{e0041}c\ufeff`)
  expect(visible('👩\u200D👧 naïve')).toBe('👩\u200D👧 naïve')
})
