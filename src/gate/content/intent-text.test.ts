import fc from 'fast-check'
import { expect, test } from 'vitest'
import { intentFilter, withoutIntents } from '../index.ts'

const block = '<intent>{"toolName":"search"}</intent>'

test.each([
  ['nothing declared', 'Hello <b>there</b>.\n', 'Hello <b>there</b>.\n'],
  ['nothing but declarations', `${block}\n${block}\n`, ''],
  ['at the beginning', `${block}\n\nLooking it up.`, 'Looking it up.'],
  ['at the end', `Looking it up.\n\n${block}`, 'Looking it up.'],
  ['in between', `First.\n${block}\nThen.`, 'First.\nThen.'],
  ['one that is not closed', 'I write <intent> and stop.', 'I write <intent> and stop.'],
  [
    'one that is no declaration for its length',
    `<intent>${'x'.repeat(9_000)}</intent>`,
    `<intent>${'x'.repeat(9_000)}</intent>`,
  ],
  ['a closing tag alone', 'a </intent> b', 'a </intent> b'],
  ['half a tag at the end', 'a <inte', 'a <inte'],
])('the text of a reply with %s', (_, text, shown) => {
  expect(withoutIntents(text)).toBe(shown)
})

test('text in pieces, wherever it is cut, is shown as the whole would be, and nothing of a declaration ever', () => {
  const piece = fc.constantFrom(
    block,
    '<intent>',
    '</intent>',
    '<',
    '<int',
    ' ',
    '\n',
    'word',
    '<intent>{"a":1}',
    'ent>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(9), { maxLength: 40 }), (parts, cuts) => {
      const text = parts.join('')
      const filter = intentFilter()
      let shown = ''
      let at = 0
      for (const cut of cuts) {
        shown += filter.push(text.slice(at, at + cut))
        at += cut
        expect(withoutIntents(text).startsWith(shown)).toBe(true)
      }
      shown += filter.push(text.slice(at)) + filter.end()
      expect(shown).toBe(withoutIntents(text))
      expect(shown).not.toContain(block)
    }),
    { numRuns: 2_000 },
  )
})
