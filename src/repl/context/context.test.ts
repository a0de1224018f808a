import { describe, expect, test } from 'vitest'
import { bothWays, call, mixedText, sourceOf } from './context.fixture.ts'
import { contextOf } from './context.ts'
import { CONTEXT_BYTES_MAX, PAGE_BYTES, RESULT_CHARS_MAX, RESULT_ITEMS_MAX } from './limits.ts'

const TEXT = mixedText(PAGE_BYTES * 3)
const LINES = TEXT.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
if (LINES.at(-1) === '') LINES.pop()

describe.each(bothWays(TEXT))('the context of %s', (_name, context) => {
  test('has the length of the text in characters as scripts count them, and in bytes', async () => {
    const { facts } = await context.open()
    expect(facts.length).toBe(TEXT.length)
    expect(facts.bytes).toBe(new TextEncoder().encode(TEXT).length)
    expect(facts.lineCount).toBe(LINES.length)
  })

  test('gives the slices that the text gives, at every kind of position', async () => {
    const places = [0, 1, 7, PAGE_BYTES - 2, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1, TEXT.length - 3, TEXT.length]
    let slices = 0
    for (const from of [...places, -1, -5]) {
      for (const to of [...places, -1, -4, undefined]) {
        const wanted = TEXT.slice(from, to)
        if (wanted.length > RESULT_CHARS_MAX) continue
        expect(await call(context, 'slice', from, to ?? null)).toBe(wanted)
        slices += 1
      }
    }
    expect(slices).toBeGreaterThan(60)
  })

  test('gives slices around every page border that the text gives', async () => {
    const { view } = await context.open()
    for (let page = 0; page < view.text.index.pages; page += 1) {
      const at = view.text.startOf(page)
      for (let from = Math.max(at - 6, 0); from < at + 6; from += 1)
        expect(await call(context, 'slice', from, from + 9)).toBe(TEXT.slice(from, from + 9))
    }
  })

  test('gives lines by their number without their line breaks', async () => {
    expect(await call(context, 'lines', 0, 50)).toEqual(LINES.slice(0, 50))
    expect(await call(context, 'lines', 5_000, 5_900)).toEqual(LINES.slice(5_000, 5_900))
    expect(await call(context, 'lines', -3)).toEqual(LINES.slice(-3))
    expect(await call(context, 'lines', LINES.length, LINES.length + 5)).toEqual([])
  })

  test('gives its beginning and its end', async () => {
    expect(await call(context, 'head', 10)).toBe(TEXT.slice(0, 10))
    expect(await call(context, 'tail', 10)).toBe(TEXT.slice(-10))
    expect(await call(context, 'tail', 0)).toBe('')
  })

  test('refuses a result that does not fit into a journal entry, and names what fits', async () => {
    await expect(call(context, 'slice')).rejects.toThrow(`at most ${RESULT_CHARS_MAX} characters`)
    await expect(call(context, 'lines')).rejects.toThrow(`at most ${RESULT_ITEMS_MAX} lines`)
  })
})

describe('a range of a context', () => {
  test('is a context whose positions and lines count from its own beginning', async () => {
    for (const [, whole] of bothWays(TEXT)) {
      const { facts } = await whole.open()
      const part = await whole.part({ context: facts.ref, from: 70_001, to: 150_003 })
      const text = TEXT.slice(70_001, 150_003)
      expect((await part.open()).facts).toMatchObject({ length: text.length, lineCount: text.split('\n').length })
      expect(await call(part, 'slice', 10, 40)).toBe(text.slice(10, 40))
      expect(await call(part, 'slice', -40)).toBe(text.slice(-40))
      expect(await call(part, 'count', 'needle')).toBe(text.split('needle').length - 1)
      expect(await call(part, 'lines', 3, 6)).toEqual(
        text
          .split('\n')
          .slice(3, 6)
          .map((line) => line.replace(/\r$/, '')),
      )
    }
  })

  test('can be narrowed again, and its references mean the same places to the whole', async () => {
    const whole = contextOf(TEXT)
    const part = await whole.part({ context: (await whole.open()).facts.ref, from: 1_000, to: 9_000 })
    const inner = await part.part({ context: (await part.open()).facts.ref, from: 500, to: 600 })
    expect(await call(inner, 'slice')).toBe(TEXT.slice(1_500, 1_600))
    const again = await whole.at((await inner.open()).facts.ref)
    expect(await call(again, 'slice')).toBe(TEXT.slice(1_500, 1_600))
  })

  test('does not reach outside of itself', async () => {
    const whole = contextOf(TEXT)
    const { facts } = await whole.open()
    const part = await whole.part({ context: facts.ref, from: 1_000, to: 2_000 })
    const ref = (await part.open()).facts.ref
    await expect(part.part({ context: facts.ref, from: 0, to: 10 })).rejects.toThrow('not in this context')
    await expect(part.part({ context: ref, from: 0, to: 1_001 })).rejects.toThrow('not in this context')
    await expect(part.part({ context: ref, from: -1, to: 5 })).rejects.toThrow('not in this context')
    await expect(part.at(facts.ref)).rejects.toThrow('not in this context')
  })
})

describe('the source of a context', () => {
  test('is not read before the first use, and once to index it', async () => {
    const source = sourceOf(TEXT)
    const context = contextOf(source)
    expect(source.readBytes).toBe(0)
    await context.open()
    expect(source.readBytes).toBeLessThan(source.bytes.length * 1.001)
    await call(context, 'slice', 100, 110)
    expect(source.readBytes - source.bytes.length).toBeLessThan(PAGE_BYTES * 2)
  })

  test('that changed after it was indexed is an error, wherever it changed', async () => {
    const source = sourceOf(TEXT)
    const context = contextOf(source)
    await context.open()
    source.bytes = source.bytes.slice()
    source.bytes[PAGE_BYTES + 10] = 0x7a
    await expect(call(context, 'count', 'needle')).rejects.toThrow('has changed since it was opened')
    source.bytes = source.bytes.slice(0, PAGE_BYTES * 2)
    await expect(call(context, 'slice', PAGE_BYTES * 1.8, PAGE_BYTES * 1.8 + 10)).rejects.toThrow('has changed')
  })

  test('with other content does not answer to a reference of before', async () => {
    const { ref } = (await contextOf(sourceOf(TEXT)).open()).facts
    const other = contextOf(sourceOf(`${TEXT}!`))
    await expect(other.at(ref)).rejects.toMatchObject({ code: 'RUN_STATE' })
    expect(await contextOf(sourceOf(TEXT)).at(ref)).toBeDefined()
  })

  test('that is too large is refused before anything is read', async () => {
    const source = {
      ...sourceOf(''),
      size: async () => CONTEXT_BYTES_MAX + 1,
      read: () => Promise.reject(new Error('read')),
    }
    await expect(contextOf(source).open()).rejects.toThrow(`${CONTEXT_BYTES_MAX} is the most`)
  })

  test('of bytes that are no text is refused', async () => {
    await expect(contextOf(sourceOf(new Uint8Array([80, 75, 0, 1]))).open()).rejects.toThrow('is not text')
    await expect(contextOf(sourceOf(new Uint8Array([0xff, 0xfe, 65, 0]))).open()).rejects.toThrow('UTF-16')
  })

  test('with broken UTF-8 reads as a decoder of the whole reads it, and a byte order mark is no text', async () => {
    const bytes = new Uint8Array(PAGE_BYTES * 2 + 100)
    for (const at of bytes.keys()) bytes[at] = [0x61, 0xe2, 0x82, 0x80, 0x80, 0x80, 0xf0, 0x9f, 0x98][at % 9]!
    bytes.set([0xef, 0xbb, 0xbf])
    const text = new TextDecoder().decode(bytes)
    const context = contextOf(sourceOf(bytes))
    expect((await context.open()).facts.length).toBe(text.length)
    for (let from = 0; from < text.length; from += 50_000)
      expect((await call(context, 'slice', from, from + 50_000)) === text.slice(from, from + 50_000)).toBe(true)
  })

  test('that is empty has no lines', async () => {
    for (const [, context] of bothWays('')) {
      expect((await context.open()).facts).toMatchObject({ length: 0, lineCount: 0 })
      expect(await call(context, 'lines')).toEqual([])
      expect(await call(context, 'slice')).toBe('')
      expect(await call(context, 'chunks')).toEqual([])
      expect(await call(context, 'count', /x*/)).toBe(1)
    }
  })

  test('can be plain data: a list has one element per line', async () => {
    const list = contextOf([{ id: 1 }, { id: 2, tags: ['a', 'b'] }, 'three'])
    expect(await call(list, 'records', 1, 3)).toEqual([{ id: 2, tags: ['a', 'b'] }, 'three'])
    expect(await call(list, 'lines', 1, 2)).toEqual(['{"id":1},'])
    expect(await call(contextOf({ name: 'x' }), 'search', '"name"')).toHaveLength(1)
  })
})
