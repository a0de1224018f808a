import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { jsonBytes } from './results/json-bytes.ts'
import { capResult } from './results/capped-result.ts'
import { settleResult } from './result.ts'

const bytesOf = (value: unknown): number => new TextEncoder().encode(JSON.stringify(value)).length

test('sizes are counted as JSON writes them', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
      const given = { value: value as Json, text }
      expect(jsonBytes(given, new WeakMap())).toBe(bytesOf(JSON.parse(JSON.stringify(given))))
    }),
  )
})

test('any capped result is valid JSON within its limit', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 3000 }),
      fc.integer({ min: 256, max: 2000 }),
      (value, text, cap) => {
        const { value: capped, bytes, truncated } = capResult({ value, text, again: [text, text] }, cap)
        expect(bytesOf(capped)).toBeLessThanOrEqual(cap)
        expect(JSON.parse(JSON.stringify(capped))).toEqual(capped)
        expect(truncated).toBe(bytes > cap)
      },
    ),
    { numRuns: 300 },
  )
})

test('a result that fits is not touched', () => {
  const given = { a: [1, 'two', null], b: { c: true } }
  expect(capResult(given, 1000)).toEqual({ value: given, bytes: bytesOf(given), truncated: false, issues: [] })
})

test('small members beside a huge one survive, and what was cut says how much there was', () => {
  const { value, bytes, truncated } = capResult(
    { body: 'x'.repeat(100_000), status: 200, headers: { type: 'text' } },
    1_000,
  )
  expect(truncated).toBe(true)
  expect(bytes).toBeGreaterThan(100_000)
  expect(value).toMatchObject({ status: 200, headers: { type: 'text' } })
  expect((value as { body: string }).body).toMatch(/^x{700,}… \[cut: \d+ of 100000 bytes\]$/)
})

test('a long list keeps its beginning and says how many items are missing', () => {
  const { value } = capResult(
    Array.from({ length: 10_000 }, (_, i) => `item ${i}`),
    1_000,
  )
  const items = value as string[]
  expect(items[0]).toBe('item 0')
  expect(items.at(-1)).toBe(`[cut: ${10_000 - items.length + 1} more items]`)
})

test('a record with too many members says how many are missing', () => {
  const { value } = capResult(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i])), 1_000)
  expect((value as Record<string, string>)['[cut]']).toMatch(/^\d+ more members$/)
})

test('a text is never cut inside a character', () => {
  const { value } = capResult('😀'.repeat(1000), 300)
  expect((value as string).isWellFormed()).toBe(true)
})

test('cycles, functions and big integers become plain data with a note each', () => {
  const cyclic: Record<string, unknown> = { n: 10n, f: () => 1 }
  cyclic['self'] = cyclic
  const { value, issues } = capResult(cyclic, 1000)
  expect(value).toEqual({ n: '10', self: '[cycle]' })
  expect(issues).toHaveLength(3)
})

test('megabytes of text are cut to the cap, and the size before is known', () => {
  const huge = 'a'.repeat(8 * 1024 * 1024)
  const { value, bytes } = capResult(huge, 256 * 1024)
  expect(bytes).toBe(huge.length + 2)
  expect(bytesOf(value)).toBeLessThanOrEqual(256 * 1024)
})

test('of an async iterable every item is progress and the last is the result, unless the generator returns one', async () => {
  const seen: unknown[] = []
  async function* counting(end?: string): AsyncGenerator<number, string | undefined> {
    yield 1
    yield 2
    return end
  }
  expect(await settleResult(counting(), (value) => seen.push(value))).toBe(2)
  expect(await settleResult(Promise.resolve(counting('done')))).toBe('done')
  expect(seen).toEqual([1, 2])
  expect(await settleResult(Promise.resolve(5))).toBe(5)
  expect(await settleResult('plain')).toBe('plain')
})

test('a listener of progress cannot break the tool, and a failing generator fails the call', async () => {
  async function* good(): AsyncGenerator<number> {
    yield 1
  }
  const listener = (): void => {
    throw new Error('listener')
  }
  expect(await settleResult(good(), listener)).toBe(1)
  async function* bad(): AsyncGenerator<number> {
    yield 1
    throw new Error('tool broke')
  }
  await expect(settleResult(bad())).rejects.toThrow('tool broke')
})

test('pictures and files are kept whole beside what is cut, or only named', () => {
  const picture = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(400_000) }
  const beside = capResult([{ type: 'text', text: 'x' }, picture], 1_000)
  expect(beside).toMatchObject({ truncated: false, value: [{ type: 'text', text: 'x' }, picture] })
  const cut = capResult({ log: 'x'.repeat(5_000), picture }, 1_000)
  expect(cut.truncated).toBe(true)
  expect((cut.value as { picture: unknown }).picture).toEqual(picture)
  expect((cut.value as { log: string }).log.length).toBeLessThan(1_000)
  const huge = capResult({ picture: { ...picture, data: 'A'.repeat(8_000_000) } }, 1_000)
  expect(huge).toMatchObject({
    truncated: true,
    value: { picture: { mediaType: 'image/png', bytes: 6_000_000, omitted: 'larger than 4000000 bytes' } },
  })
})
