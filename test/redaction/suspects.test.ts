import fc from 'fast-check'
import { expect, test } from 'vitest'
import { secretRedactor } from '../../src/core/index.ts'
import { ALL_FORMATS } from '../../src/core/redaction-plain.ts'
import { MARKS } from '../../src/core/redaction-views.ts'
import { BLOCKS } from '../../src/core/secret-formats/blocks.ts'
import { CONTEXTS } from '../../src/core/secret-formats/contexts.ts'
import { isPlainMember, isPlainText } from '../../src/core/redaction-suspects.ts'
import { SECRET_CASES } from './corpus.ts'

const redactor = secretRedactor()

/** What is called plain is never looked at more closely, so nothing may be found in it. */
function check(text: string): void {
  if (isPlainText(text) && redactor.text(text) !== text) expect.fail(`plain, and yet a secret: ${JSON.stringify(text)}`)
}

test('no case of the corpus is plain where something is found in it, however much of it is cut off', () => {
  for (const { text, sample } of SECRET_CASES) {
    for (const whole of [text, sample, JSON.stringify(text), `See ${text} there.`]) {
      check(whole)
      const step = Math.max(1, Math.floor(whole.length / 60))
      for (let at = 1; at < whole.length; at += step) {
        check(whole.slice(at))
        check(whole.slice(0, at))
      }
    }
  }
})

const anchor = fc.constantFrom(...new Set(ALL_FORMATS.flatMap(({ anchors }) => anchors)))
const sign = fc.constantFrom(
  ...' \t\n\r"\'`=:;,.-_/\\<>()[]{}|&?@%#+~$!*0aZ'.split(''),
  '\\n',
  ': ',
  '="',
  '\u200B',
  '&amp;',
)
const drawn = fc
  .array(fc.constantFrom(...'abcdefXYZKLMN0123456789_-./+=~:'.split('')), { maxLength: 24 })
  .map((chars) => chars.join(''))
const letters = fc
  .array(fc.constantFrom(...'abcdefghkoXYZQRAEK'.split('')), { maxLength: 19 })
  .map((chars) => chars.join(''))
const piece = fc.oneof(
  anchor,
  sign,
  drawn,
  letters,
  fc.string({ maxLength: 6 }),
  fc.constantFrom('hunter2x', 'Zx9Kq2Lm8Pw4'),
)

test('nothing is found in a plain text, whatever it is made of', () => {
  const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(''))
  fc.assert(fc.property(text, check), { numRuns: 100_000 })
  // Short ones are where it is close: a beginning, and hardly enough behind it.
  fc.assert(
    fc.property(anchor, letters, (start, rest) => check((start + rest).slice(0, 24))),
    { numRuns: 50_000 },
  )
})

test('nothing is hidden in a plain member, whatever it is called', () => {
  const name = fc.array(
    fc.oneof(anchor, sign, letters, fc.constantFrom('api', 'Key', 'toKen', 'Page', 'S', 's', '2')),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  fc.assert(
    fc.property(name, piece, (names, value) => {
      const called = names.join('')
      if (isPlainMember(called, value)) expect(redactor.member!(called, value), called).toBe(value)
    }),
    { numRuns: 50_000 },
  )
})

test('what stands before a secret of any length, and what hides letters, is never plain', () => {
  // What follows these is a long stretch itself.
  const before = [...CONTEXTS, ...BLOCKS].flatMap(({ anchors }) =>
    anchors.filter((text) => !/^(?:"[dkpq]|LS0t)/.test(text)),
  )
  for (const text of [...before, ...MARKS]) expect(isPlainText(`It is ${text} so.`), text).toBe(false)
})

test('what every run writes is plain', () => {
  for (const text of [
    'What is 1 + 2?',
    'run_1m7fqrd428ftk8a7ak3g',
    'a3'.repeat(32),
    'providerMetadata',
    'No guard objects.',
  ])
    expect(isPlainText(text), text).toBe(true)
  for (const name of ['inputTokens', 'sessionId', 'text']) expect(isPlainMember(name, 'It is 3, as asked.')).toBe(true)
})
