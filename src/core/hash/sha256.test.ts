import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../index.ts'
import { sha256Portable } from './sha256.ts'

const native = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex')

test("the portable hash is the platform's, for any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256Portable(text)).toBe(native(text))
      expect(sha256(text)).toBe(native(text))
    }),
    { numRuns: 500 },
  )
})

test('the portable hash is right at every length around its blocks', () => {
  for (let length = 0; length <= 200; length++)
    expect(sha256Portable('a'.repeat(length))).toBe(native('a'.repeat(length)))
})

test('text that is not well formed hashes the same everywhere', () => {
  for (const text of ['\ud800', 'a\udfffb', '\ud800\ud800🙂']) {
    expect(sha256Portable(text)).toBe(sha256(text))
    expect(sha256Portable(text)).toBe(native(text))
  }
})

test('long texts too', () => {
  const text = 'ä'.repeat(1_000_003)
  expect(sha256Portable(text)).toBe(native(text))
})
