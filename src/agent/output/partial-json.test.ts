import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/index.ts'
import { PartialObject } from './partial-json.ts'

/** What is given after each piece; `-` where nothing new is there. */
function afterEach(...pieces: readonly string[]): unknown[] {
  const object = new PartialObject()
  return pieces.map((piece) => {
    object.add(piece)
    return object.take() ?? '-'
  })
}

describe('an object that is being written', () => {
  test('has its strings as far as they go', () => {
    expect(afterEach('{"a', '":', ' "he', 'llo"', ',', ' "b"', ':"', 'x')).toEqual([
      {},
      '-',
      { a: 'he' },
      { a: 'hello' },
      '-',
      '-',
      { a: 'hello', b: '' },
      { a: 'hello', b: 'x' },
    ])
  })

  test('has numbers and literals once they are complete', () => {
    expect(afterEach('{"n":1', '2', '.5', ',"t":tr', 'ue', ',"z":null', '}')).toEqual([
      {},
      '-',
      '-',
      { n: 12.5 },
      '-',
      { n: 12.5, t: true },
      { n: 12.5, t: true, z: null },
    ])
  })

  test('has lists and objects from their first bracket on', () => {
    expect(afterEach('{"l":[', '{"x":"1"', '},', '[', ']]}')).toEqual([
      { l: [] },
      { l: [{ x: '1' }] },
      '-',
      { l: [{ x: '1' }, []] },
      '-',
    ])
  })

  test('waits for the rest of an escape, and for both halves of a character', () => {
    expect(afterEach('{"a":"x\\', 'n', '\\u00', 'e9', '\\ud83d', '\\ude00', '😀'[0]!, '😀'[1]!, '"}')).toEqual([
      { a: 'x' },
      { a: 'x\n' },
      '-',
      { a: 'x\né' },
      '-',
      { a: 'x\né😀' },
      '-',
      { a: 'x\né😀😀' },
      '-',
    ])
  })

  test('may stand in a fence or a sentence', () => {
    expect(afterEach('Here it is:\n```json\n', '{"a":"b"', '}\n```', ' {"c":1}')).toEqual(['-', { a: 'b' }, '-', '-'])
  })

  test('is nothing more once it is no JSON', () => {
    expect(afterEach('{"a":"b"', ' "c"', ',"d":"e"}')).toEqual([{ a: 'b' }, '-', '-'])
    expect(afterEach('{"a":[1}', '')).toEqual(['-', '-'])
    expect(afterEach('{a:1}')).toEqual(['-'])
  })

  test('begins anew when what was written is withdrawn', () => {
    const object = new PartialObject()
    object.add('{"a":"b')
    object.take()
    object.reset()
    object.add('{"c":"d"')
    expect(object.take()).toEqual({ c: 'd' })
  })
})

/** Whether everything in `part` is in `whole`, strings as prefixes, lists from their beginning. */
function isPartOf(part: Json, whole: Json): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part)
  if (Array.isArray(part) && Array.isArray(whole))
    return part.every((item, at) => isPartOf(item as Json, whole[at] as Json))
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (typeof whole !== 'object' || whole === null) return false
  return Object.entries(part).every(
    ([key, item]) => Object.hasOwn(whole, key) && isPartOf(item, (whole as { [k: string]: Json })[key]!),
  )
}

test('however an object is cut, each part is a part of the next and the last one is the whole', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue(), { noNullPrototype: true }),
      fc.integer({ min: 1, max: 7 }),
      fc.boolean(),
      (value, size, isIndented) => {
        const whole = JSON.parse(JSON.stringify(value)) as Json
        const text = JSON.stringify(whole, null, isIndented ? 2 : 0)
        const object = new PartialObject()
        let last: Json = {}
        for (let at = 0; at < text.length; at += size) {
          object.add(text.slice(at, at + size))
          const next: Json = object.take() ?? last
          if (!isPartOf(last, next) || !isPartOf(next, whole)) return false
          last = next
        }
        return JSON.stringify(last) === JSON.stringify(whole)
      },
    ),
    { seed: 7, numRuns: 100 },
  )
})
