import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bothWays, call, mixedText } from './context.fixture.ts'
import { contextOf } from './context.ts'
import type { ContextPart } from './context.ts'
import { CHUNKS_MAX, PAGE_BYTES } from './limits.ts'

type Parts = readonly (ContextPart & { readonly line: number })[]

const TEXT = mixedText(PAGE_BYTES * 2, 3)

describe.each(bothWays(TEXT))('the parts of %s', (_name, context) => {
  test.each(['chars', 'lines', 'paragraphs'] as const)(
    'by %s cover it without a gap, none longer than asked',
    async (by) => {
      const parts: Parts = await call(context, 'chunks', { size: 5_000, by })
      expect(parts.map(({ from, to }) => TEXT.slice(from, to)).join('')).toBe(TEXT)
      for (const { from, to } of parts) expect(to - from).toBeLessThanOrEqual(5_000)
      for (const { from } of parts.slice(1)) {
        if (by === 'lines') expect(TEXT[from - 1]).toBe('\n')
        if (by === 'paragraphs') expect(TEXT.slice(Math.max(from - 3, 0), from)).toMatch(/\n\r?\n$/)
        expect(TEXT.slice(from - 1, from + 1).isWellFormed() || TEXT.codePointAt(from - 1)! <= 0xffff).toBe(true)
        expect(TEXT.slice(from).slice(0, 2).isWellFormed() || !isTrail(TEXT, from)).toBe(true)
      }
    },
  )

  test('say in which line they begin, and can be read as they are', async () => {
    const parts: Parts = await call(context, 'chunks', { size: 50_000 })
    for (const part of parts) {
      expect(part.line).toBe(TEXT.slice(0, part.from).split('\n').length - 1)
      expect(await call(context, 'slice', part)).toBe(TEXT.slice(part.from, part.to))
    }
  })

  test('are contexts of their own, without their text having moved', async () => {
    const [, second]: Parts = await call(context, 'chunks', { size: 70_000, by: 'lines' })
    const part = await context.part(second!)
    expect(await call(part, 'head', 20)).toBe(TEXT.slice(second!.from, second!.from + 20))
    expect(JSON.stringify(second).length).toBeLessThan(120)
  })
})

function isTrail(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

describe('parts that overlap', () => {
  test('repeat the end of the part before, and still reach the end', async () => {
    const parts: Parts = await call(contextOf(TEXT), 'chunks', { size: 10_000, overlap: 1_000 })
    for (const [index, { from }] of parts.slice(1).entries()) expect(parts[index]!.to - from).toBeLessThanOrEqual(1_001)
    expect(parts.at(-1)!.to).toBe(TEXT.length)
  })

  test('repeat whole lines where parts consist of lines', async () => {
    const text = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n')
    const parts: Parts = await call(contextOf(text), 'chunks', { size: 100, overlap: 20, by: 'lines' })
    for (const { from } of parts.slice(1)) expect(text.slice(from, from + 5)).toBe('line ')
    for (const [index, { from }] of parts.slice(1).entries()) expect(from).toBeLessThan(parts[index]!.to)
  })

  test('of any text cover it, grow and end', async () => {
    const piece = fc.constantFrom('a', '\n', '\n\n', 'bbbbbb', '😀', ' ')
    const by = fc.constantFrom('chars', 'lines', 'paragraphs')
    await fc.assert(
      fc.asyncProperty(fc.array(piece), by, fc.integer({ min: 2, max: 12 }), async (pieces, unit, size) => {
        const text = pieces.join('')
        const parts: Parts = await call(contextOf(text), 'chunks', { size, overlap: size >> 1, by: unit })
        let covered = 0
        for (const { from, to } of parts) {
          expect(from).toBeLessThanOrEqual(covered)
          expect(to).toBeGreaterThan(covered)
          expect(to - from).toBeLessThanOrEqual(size + 1)
          covered = to
        }
        expect(covered).toBe(text.length)
      }),
    )
  })
})

test('too many parts are refused with what to change', async () => {
  await expect(call(contextOf(TEXT), 'chunks', { size: 10 })).rejects.toThrow(`at most ${CHUNKS_MAX} parts`)
  await expect(call(contextOf(TEXT), 'chunks', { size: 10, overlap: 10 })).rejects.toThrow('less than `size`')
  const short = contextOf('abcde\n'.repeat(CHUNKS_MAX + 1))
  await expect(call(short, 'chunks', { size: 10, by: 'lines' })).rejects.toThrow(`more than ${CHUNKS_MAX} parts`)
})
