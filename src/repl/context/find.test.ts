import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bothWays, call, mixedText, sourceOf } from './context.fixture.ts'
import { contextOf } from './context.ts'
import type { Found } from './find.ts'
import { MATCH_CHARS_MAX, PAGE_BYTES, PATTERN_CHARS_MAX, TALLY_VALUES_MAX } from './limits.ts'

const TEXT = mixedText(PAGE_BYTES * 2.5, 7)

const PATTERNS = [
  /needle/g,
  /\bword\b/g,
  /^x1/gm,
  /x1$/gm,
  /a+b?/g,
  /[^\n]*needle[^\n]*/g,
  /(?<first>é|€)(日本)?/g,
  /😀/gu,
  /.😀./gsu,
  /\n{2,}/g,
  /(?=needle)/g,
  /(?<=needle )word/g,
  /(?<![a-z ])needle/g,
  /-(?!-)[^-]{0,300}-/g,
  /NEEDLE\s/gi,
  /^./g,
  /.$/g,
  /\B1/g,
]

describe.each(bothWays(TEXT))('a search in %s', (_name, context) => {
  test.each(PATTERNS)('for %s finds what the engine of the platform finds in the whole text', async (pattern) => {
    const wanted = [...TEXT.matchAll(pattern)]
    expect(await call(context, 'count', pattern)).toBe(wanted.length)
    const from = Math.max((wanted.length >> 1) - 3, 0)
    const start = wanted[from]?.index ?? 0
    const found: readonly Found[] = await call(context, 'search', pattern, { from: start, limit: 200 })
    const expected = wanted.slice(from, from + found.length)
    expect(found.map(({ at, match }) => [at, match])).toEqual(expected.map((one) => [one.index, one[0]]))
    expect(found.map(({ groups = [] }) => groups)).toEqual(
      expected.map((one) => one.slice(1).map((group) => group ?? null)),
    )
    expect(found.length).toBe(Math.min(wanted.length - from, 200))
  })

  test('gives the line of a match, and what stands around it', async () => {
    const [first]: readonly Found[] = await call(context, 'search', 'needle', { from: 140_000, limit: 1, around: 5 })
    const at = TEXT.indexOf('needle', 140_000)
    expect(first).toEqual({
      at,
      end: at + 6,
      line: TEXT.slice(0, at).split('\n').length - 1,
      match: 'needle',
      excerpt: TEXT.slice(at - 5, at + 11),
    })
  })

  test('ends where it is told to', async () => {
    const wanted = TEXT.slice(0, 150_000).split('needle').length - 1
    expect(await call(context, 'count', 'needle', { to: 150_000 })).toBe(wanted)
    expect(await call(context, 'count', /needle/, { from: 1_000, to: 150_000 })).toBe(
      TEXT.slice(1_000, 150_000).split('needle').length - 1,
    )
  })

  test('counts by what a group matched', async () => {
    const wanted = new Map<string, number>()
    for (const [, value] of TEXT.matchAll(/(needle|word|x1|日本)/g)) wanted.set(value!, (wanted.get(value!) ?? 0) + 1)
    const { total, distinct, values }: { total: number; distinct: number; values: { value: string; count: number }[] } =
      await call(context, 'tally', /(needle|word|x1|日本)/)
    expect(new Map(values.map(({ value, count }) => [value, count]))).toEqual(wanted)
    expect([total, distinct]).toEqual([[...wanted.values()].reduce((sum, one) => sum + one, 0), 4])
    expect(values.map(({ count }) => count)).toEqual([...wanted.values()].toSorted((a, b) => b - a))
  })
})

describe('a match across the border of a page', () => {
  test('is found wherever the border cuts it', async () => {
    for (let shift = 0; shift <= 8; shift += 1) {
      const text = `${'.'.repeat(PAGE_BYTES - shift)}needle42${'.'.repeat(PAGE_BYTES)}`
      for (const [, context] of bothWays(text)) {
        const [plain]: readonly Found[] = await call(context, 'search', 'needle42')
        const [pattern]: readonly Found[] = await call(context, 'search', /[a-z]+(\d+)/)
        expect(plain?.at).toBe(PAGE_BYTES - shift)
        expect(pattern).toMatchObject({ at: PAGE_BYTES - shift, match: 'needle42', groups: ['42'] })
      }
    }
  })

  test('may be as long as the bound, and a longer one is an error, not another result', async () => {
    const inside = `${'.'.repeat(PAGE_BYTES - 100)}<${'a'.repeat(MATCH_CHARS_MAX - 2)}>${'.'.repeat(100)}`
    const over = inside.replace('<a', '<aa')
    for (const [, context] of bothWays(inside)) expect(await call(context, 'count', /<a+>/)).toBe(1)
    for (const [, context] of bothWays(over))
      await expect(call(context, 'count', /<a+>/)).rejects.toThrow(`more than ${MATCH_CHARS_MAX} characters`)
  })

  test('that needs more than the bound to be decided is an error', async () => {
    const context = contextOf(`begin${'.'.repeat(PAGE_BYTES * 3)}end`)
    await expect(call(context, 'count', /begin[^]*?end/)).rejects.toThrow('from position 0 on')
    await expect(call(context, 'count', /begin(?=[^]*end)/)).rejects.toThrow('from position 0 on')
    expect(await call(context, 'count', /begin(?![^]{0,100}end)/)).toBe(1)
  })

  test('and a look-behind that looks back further than the bound is an error', async () => {
    const context = contextOf(`${'a'.repeat(PAGE_BYTES * 3)}!`)
    await expect(call(context, 'count', /(?<=b.*)!/)).rejects.toThrow('looks back more than')
    expect(await call(context, 'count', /(?<=a{1,1000})!/)).toBe(1)
  })

  test('is the same for any text and page border', async () => {
    const piece = fc.constantFrom('a', 'b', 'ab', '\n', ' ', 'é', '😀', '1')
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 0, max: 12 }), async (pieces, shift) => {
        const middle = pieces.join('')
        const text = `${'.'.repeat(Math.max(PAGE_BYTES - shift, 0))}${middle}..`
        const context = contextOf(sourceOf(text))
        for (const pattern of [/a+b*/g, /\ba/g, /b$/gm, /^a/gm, /(?:ab)+/g, /[^.]+/gu, /a(?!b)/g, /(?<=b)a/g, /b?/g]) {
          const from = PAGE_BYTES - 20
          const wanted = [...text.matchAll(pattern)].filter(({ index }) => index >= from)
          const found: readonly Found[] = await call(context, 'search', pattern, { from, limit: 200 })
          expect(found.map(({ at, match }) => [at, match])).toEqual(wanted.map((one) => [one.index, one[0]]))
        }
      }),
      { numRuns: 25 },
    )
  })
})

describe('a pattern', () => {
  const context = contextOf('some text')

  test('that takes more than linear time is refused with the reason', async () => {
    await expect(call(context, 'count', /(a)\1/)).rejects.toThrow('cannot be used')
  })

  test('that is wrong is refused as an error that a script can correct', async () => {
    await expect(call(context, 'count', { source: '(' })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
    await expect(call(context, 'count', { source: 'a', flags: 'y' })).rejects.toThrow('flags "y"')
    await expect(call(context, 'count', '')).rejects.toThrow('at least one character')
    await expect(call(context, 'tally', /a/, { group: 2 })).rejects.toThrow('no group 2')
    const long = 'a'.repeat(PATTERN_CHARS_MAX + 1)
    await expect(call(context, 'count', { source: long })).rejects.toThrow(`at most ${PATTERN_CHARS_MAX} characters`)
    await expect(call(context, 'count', long)).rejects.toThrow(`at most ${PATTERN_CHARS_MAX} characters`)
  })

  test('that tells more distinct values apart than a tally counts is refused', async () => {
    const many = contextOf(Array.from({ length: TALLY_VALUES_MAX + 1 }, (_, value) => value).join(' '))
    await expect(call(many, 'tally', /\d+/)).rejects.toThrow('distinct values')
  })

  test('given with an option that is not known is refused with the nearest name', async () => {
    await expect(call(context, 'search', 'text', { limt: 2 })).rejects.toThrow('Did you mean `limit`?')
  })
})
