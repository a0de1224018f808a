import { expect, test } from 'vitest'
import { type Chunking, chunker } from './chunks.ts'

const texts = (chunking: Chunking, text: string): readonly string[] =>
  chunker(chunking)(text).map((chunk) => chunk.text)

test('by characters: no chunk is longer than the size, words stay whole, and the overlap is repeated', () => {
  const text = 'one two three four five six seven eight nine ten'
  const chunks = chunker({ size: 15, overlap: 6 })(text)
  expect(chunks.map((chunk) => chunk.text)).toEqual([
    'one two three',
    'three four',
    'four five six',
    'six seven',
    'seven eight',
    'eight nine ten',
  ])
  for (const chunk of chunks) expect(text.startsWith(chunk.text, chunk.start)).toBe(true)
})

test('by characters: every word of a text is in a chunk, for all sizes and overlaps', () => {
  const words = Array.from({ length: 60 }, (_, index) => `w${index}`)
  for (let size = 4; size < 40; size += 3) {
    for (let overlap = 0; overlap < size; overlap += 5) {
      const chunks = texts({ size, overlap }, words.join(' '))
      expect(new Set(chunks.join(' ').split(' '))).toEqual(new Set(words))
      expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(size)
    }
  }
})

test('a word that is longer than the size is cut, but never within a character', () => {
  const chunks = texts({ size: 3 }, '😀😀😀😀')
  expect(chunks.join('')).toBe('😀😀😀😀')
  for (const chunk of chunks) expect(chunk.isWellFormed()).toBe(true)
  expect(texts({ size: 4 }, 'abcdefghij')).toEqual(['abcd', 'efgh', 'ij'])
})

test('by sentences and by paragraphs: chunks end where those do', () => {
  const text = 'One is here. Two is there! Three?\n\nFour.\n \nFive is the last.'
  expect(texts({ by: 'sentences', size: 28 }, text)).toEqual([
    'One is here. Two is there!',
    'Three?\n\nFour.',
    'Five is the last.',
  ])
  expect(texts({ by: 'paragraphs', size: 45 }, text)).toEqual([
    'One is here. Two is there! Three?\n\nFour.',
    'Five is the last.',
  ])
  expect(texts({ by: 'sentences', size: 6 }, '第一句。第二句。')).toEqual(['第一句。', '第二句。'])
})

test('a paragraph that is too long is divided at sentences', () => {
  expect(texts({ by: 'paragraphs', size: 20 }, 'A first sentence. A second one.\n\nShort.')).toEqual([
    'A first sentence.',
    'A second one.',
    'Short.',
  ])
})

test('markdown: each chunk has the headings above it; code and front matter hold none', () => {
  const text = [
    '---',
    'title: x',
    '---',
    'Before all.',
    '# Guide #',
    'Intro.',
    '## Setup',
    '```sh',
    '# no heading',
    '```',
    'After code.',
    '### Deep C#',
    'Deep text.',
    '## Use',
    'Use it.',
    '',
    'Second part',
    '===========',
    'The end.',
    '#hashtag',
  ].join('\n')
  expect(chunker('markdown')(text).map(({ heading, text: said }) => [heading, said])).toEqual([
    [[], '---\ntitle: x\n---\nBefore all.'],
    [['Guide'], 'Intro.'],
    [['Guide', 'Setup'], '```sh\n# no heading\n```\nAfter code.'],
    [['Guide', 'Setup', 'Deep C#'], 'Deep text.'],
    [['Guide', 'Use'], 'Use it.'],
    [['Second part'], 'The end.\n#hashtag'],
  ])
})

test('markdown: Windows line ends, tables and lists make no headings of their own', () => {
  const text = '# A\r\n\r\nText.\r\n\r\n- item\r\n---\r\n\r\n| a |\r\n|---|\r\n'
  expect(chunker('markdown')(text).map(({ heading }) => heading)).toEqual([['A']])
})

test('long hostile texts are divided in little time', () => {
  const begun = performance.now()
  for (const part of ['# ', '#', '\n', ' \n', '`', '---\n', 'a\n---\n', '. '])
    for (const by of ['markdown', 'sentences', 'paragraphs', 'characters'] as const) chunker(by)(part.repeat(50_000))
  expect(performance.now() - begun).toBeLessThan(20_000)
})

test('nothing comes of nothing', () => {
  for (const by of ['markdown', 'sentences', 'paragraphs', 'characters'] as const)
    expect(texts(by, ' \n\n ')).toEqual([])
})

test('what describes no way to divide is refused', () => {
  expect(() => chunker({ size: 10, overlap: 10 })).toThrow('`overlap`')
  expect(() => chunker({ size: 0 })).toThrow('`size`')
  expect(() => chunker('sentence' as 'sentences')).toThrow('Did you mean `sentences`?')
  expect(() => chunker({ sizes: 10 } as Chunking)).toThrow('Did you mean `size`?')
})
