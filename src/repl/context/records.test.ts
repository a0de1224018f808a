import { describe, expect, test } from 'vitest'
import { bothWays, call, sourceOf } from './context.fixture.ts'
import { contextOf } from './context.ts'
import { PAGE_BYTES, RESULT_CHARS_MAX, RESULT_ITEMS_MAX } from './limits.ts'

const VALUES = Array.from({ length: 4_000 }, (_, id) => ({
  id,
  text: `value ${id} with "quotes", [brackets], \\ and é😀 ${'.'.repeat(id % 60)}`,
}))

const CSV = [
  'id,"the name",note',
  ...VALUES.map(({ id }) => `${id},"name ""${id}"", of\nlines",${id % 3 === 0 ? '' : 'x'}`),
]

const FORMATS: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['named like a member.constructor', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['lines.jsonl', VALUES.map((value) => JSON.stringify(value)).join('\n\n'), VALUES],
  ['list.json', JSON.stringify(VALUES), VALUES],
  ['pretty.json', JSON.stringify(VALUES, null, 2), VALUES],
  [
    'table.csv',
    CSV.join('\r\n'),
    VALUES.map(({ id }) => ({ id: `${id}`, 'the name': `name "${id}", of\nlines`, note: id % 3 === 0 ? '' : 'x' })),
  ],
  [
    'table.tsv',
    'a\tb\n1\t2\n3\t4',
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ],
  ],
]

describe.each(FORMATS)('the records of %s', (label, text, wanted) => {
  test.each(bothWays(text, label))('of %s are read by their number, in any order', async (_name, context) => {
    expect(await call(context, 'recordCount')).toBe(wanted.length)
    for (const from of [0, 1, 3_000, 255, 256, 257, 1_999, wanted.length - 1])
      expect(await call(context, 'records', from, from + 3)).toEqual(wanted.slice(from, from + 3))
    expect(await call(context, 'records', -2)).toEqual(wanted.slice(-2))
    expect(await call(context, 'records', wanted.length, wanted.length + 9)).toEqual([])
  })
})

describe('records', () => {
  test('of a format that the name does not tell are read as they are told', async () => {
    const context = contextOf('{"a":1}\n{"a":2}')
    expect(await call(context, 'records')).toEqual([{ a: 1 }, { a: 2 }])
    const table = contextOf('a,b\n1,2')
    await expect(call(table, 'records')).rejects.toThrow('Give `format`')
    expect(await call(table, 'records', 0, 1, { format: 'csv' })).toEqual([{ a: '1', b: '2' }])
  })

  test('that are broken are an error that names the record', async () => {
    await expect(call(contextOf('{"a":1}\n{"a":'), 'records')).rejects.toThrow('Record 1 is not valid JSON')
  })

  test('more than one result holds are refused', async () => {
    const context = contextOf('1\n'.repeat(RESULT_ITEMS_MAX + 1), { label: 'a.jsonl' })
    await expect(call(context, 'records')).rejects.toThrow(`at most ${RESULT_ITEMS_MAX} records`)
    expect(await call(context, 'records', 0, RESULT_ITEMS_MAX)).toHaveLength(RESULT_ITEMS_MAX)
    const long = contextOf(`"${'x'.repeat(RESULT_CHARS_MAX / 2)}"\n`.repeat(3), { label: 'a.jsonl' })
    await expect(call(long, 'records')).rejects.toThrow(`${RESULT_CHARS_MAX} is the most`)
  })

  test('far from the beginning are found again without reading what is before them', async () => {
    const source = sourceOf(`${JSON.stringify(VALUES[7])}\n`.repeat(20_000), 'a.jsonl')
    const context = contextOf(source)
    await call(context, 'recordCount')
    const before = source.readBytes
    await call(context, 'records', 10_000, 10_002)
    expect(source.readBytes - before).toBeLessThanOrEqual(PAGE_BYTES * 2)
  })
})
