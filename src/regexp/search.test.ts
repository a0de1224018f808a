import { describe, expect, test } from 'vitest'
import { Compiler } from './compiler.ts'
import { PatternParser } from './pattern-parser.ts'
import { Search, type Spans } from './search.ts'

interface Found {
  readonly spans: Spans | null
  readonly steps: number
  readonly bytes: number
}

function find(source: string, text: string, flags: string = ''): Found {
  const program = new Compiler(new PatternParser(source, flags).parse(), flags).compile()
  let steps = 0
  let bytes = 0
  const allowance = { spend: (more: number) => void (steps += more), hold: (more: number) => void (bytes += more) }
  const spans = new Search(program).first(text, 0, false, allowance)
  return { spans, steps, bytes }
}

/** Patterns that take engines years, or the square of the length and more. */
const SLOW = [
  '(a+)+$',
  '(a|a)+$',
  '(a|aa|aaa)*$',
  '(.*a){25}$',
  '(a*)*b',
  '((a*)*)*b',
  '(?:a*?)*?b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  'a*a*a*a*a*b',
  '(a+){10}b',
  '(?:a|b|ab)*c',
  '(.*)*(.*)*!!',
  'a{1,50}a{1,50}b',
  '(a??)*?b',
  '(?:a?){30}a{30}$',
  '(?:(a)|(aa)|(aaa))*b',
  '(?:(?=.*!)a)*b',
  '(?:(?=(a+)+!)a)*b',
  '(?:(?!.*b)a)*b',
  '(?:(?=(?:(?=.*!)a)*!)a)*b',
  '(?:a(?!(?:a*)*b))*c',
  '(?:(?<=a*)a)*b',
  '(?:(?<=(?:a|aa)*)a)*b',
  '(?:a(?<!(?:b*a*)*!))*b',
  '(?:a(?<=(?=a*!)a+))*b',
  '(?<=b.*)a',
]

describe('a search', () => {
  test.each(SLOW)('of /%s/ takes four times the steps and the memory in four times the text', (source) => {
    const [short, long] = [find(source, `${'a'.repeat(2_000)}!`), find(source, `${'a'.repeat(8_000)}!`)]
    expect(short.steps).toBeGreaterThan(2_000)
    expect(long.steps / short.steps).toBeLessThan(4.3)
    // The stack and the table of visits grow by doubling.
    expect(long.bytes / Math.max(short.bytes, 20_000)).toBeLessThan(8.5)
  })

  test('looks at the allowance while it goes on, not only at the end', () => {
    const program = new Compiler(new PatternParser('(a|b)*c', '').parse(), '').compile()
    const spend = (steps: number) => {
      expect(steps).toBeLessThan(2_000)
      throw new Error('enough')
    }
    const search = new Search(program)
    expect(() => search.first('ab'.repeat(50_000), 0, false, { spend, hold: () => {} })).toThrow('enough')
    // And the next search begins as if nothing had been.
    expect(search.first('abc', 0, false, { spend: () => {}, hold: () => {} })).toEqual([0, 3, 1, 2])
  })

  test('passes over places where no match can begin, and reads what cannot be read otherwise once', () => {
    const text = 'x'.repeat(80_000)
    expect(find('needle', text).steps).toBeLessThan(11_000)
    expect(find('\\d+px', text).steps).toBeLessThan(11_000)
    expect(find('^needle', text).steps).toBeLessThan(20)
    expect(find('"[^"]*"', `"${text}"`).steps).toBeLessThan(21_000)
  })

  // Each with where V8 and the language find it: index, then groups.
  test.each([
    ['(?:(a)|b)*', 'ab', [0, 2, -1, -1]],
    ['(z)((a+)?(b+)?(c))*', 'zaacbbbcac', [0, 10, 0, 1, 8, 10, 8, 9, -1, -1, 9, 10]],
    ['(a*)*', 'b', [0, 0, -1, -1]],
    ['(a*)+', 'b', [0, 0, 0, 0]],
    ['(?:a?)*?$', 'aa', [0, 2]],
    ['(?:|a)*', 'aa', [0, 2]],
    ['(?:|a)+', 'aa', [0, 2]],
    ['(?:|a){2}', 'aa', [0, 0]],
    ['(a|ab)(c|bcd)(d*)', 'abcd', [0, 4, 0, 1, 1, 4, 4, 4]],
    ['(?<x>a)|(?<x>b)', 'b', [0, 1, -1, -1, 0, 1]],
    ['(?=(a+))a*b', 'baaab', [1, 5, 1, 4]],
    ['(?:(?=(a)|(b)).)*', 'ab', [0, 2, -1, -1, 1, 2]],
    ['(?=(?=(a))(.))a', 'a', [0, 1, 0, 1, 0, 1]],
    ['(?!(a)b)a', 'abac', [2, 3, -1, -1]],
    ['\\B(?=(\\d{3})+(?!\\d))', '1234567', [1, 1, 4, 7]],
    ['(?<=(\\d+)(\\d+))$', '1053', [4, 4, 0, 1, 1, 4]],
    ['(?<=(\\d)+)x', '12x', [2, 3, 0, 1]],
    ['(?<!(a)b)c', 'abcc', [3, 4, -1, -1]],
    ['(?<=a(?=(.))b)c', 'abc', [2, 3, 1, 2]],
    ['(?<=^|,)[^,]*(?=,|$)', 'a,b', [0, 1]],
  ] as const)(
    'of /%s/ in %s keeps the order of choices, the groups of the last turn, and no empty turns',
    (source, text, spans) => {
      expect(find(source, text).spans).toEqual(spans)
    },
  )

  test('finds no empty place inside of a pair of surrogates with the flag u', () => {
    expect(find('\\B', 'c😀x', 'u').spans).toBeNull()
    expect(find('\\B', 'c😀x').spans).toEqual([2, 2])
  })

  test.each([
    '(?:a{0,1000}){0,1000}',
    '(?:(?:ab){1000}){1000}',
    '((((a{9}){9}){9}){9}){9}',
    '(?:(?:(?:){1000}){1000}){1000}',
  ])('is never made of /%s/, which is too large', (source) => {
    expect(() => find(source, 'a')).toThrow('too large')
  })
})

/** The first match in a part of a text, or where it takes more of the text to tell. */
function inPart(source: string, part: string, flags: string = ''): Spans | number | null {
  const program = new Compiler(new PatternParser(source, flags).parse(), flags).compile()
  return new Search(program).firstInPart(part, 0, { spend: () => {}, hold: () => {} })
}

describe('a search in a part of a text', () => {
  test.each([
    ['a run that reaches the end', 'a+', '..aa', 2],
    ['a lazy run that reaches the end', 'a+?b', '..aa', 2],
    ['a run of characters beyond Latin', 'é+', '..éé', 2],
    ['a bounded run that ends with the part', 'a{2}', '..a', 2],
    ['a text that has begun', 'needle', '..need', 2],
    ['a single character', 'ab', '..a', 2],
    ['what must follow', 'a(?=b)', '..a', 2],
    ['what must not follow', 'a(?!b)', '..a', 2],
    ['an end', 'a$', '..a', 2],
    ['a border of words', 'a\\b', '..a', 2],
    ['a choice whose first way has begun', 'abc|ab', '..ab', 2],
    ['a group that is repeated', '(?:ab)+', '..ab', 2],
  ])('asks for more of it: %s', (_what, source, part, at) => {
    expect(inPart(source, part)).toBe(at)
  })

  test('gives a match that nothing behind the part can change, and none where none begins', () => {
    expect(inPart('a+', '.aa.')).toEqual([1, 3])
    expect(inPart('needle', '.needle')).toEqual([1, 7])
    expect(inPart('b', '.aa.')).toBeNull()
  })
})
