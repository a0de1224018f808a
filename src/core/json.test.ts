import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonical, parseJson, toPlain } from './index.ts'

/** The same value with the members of every object in another order. */
function shuffle(value: unknown, order: (keys: string[]) => string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffle(item, order))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    order(Object.keys(value)).map((key) => [key, shuffle((value as Record<string, unknown>)[key], order)]),
  )
}

describe('canonical', () => {
  test('writes sorted keys and no spaces', () => {
    expect(canonical({ b: 1, a: [true, null, 'x'], '': {}, é: 2, '10': 3, '9': 4 })).toBe(
      '{"":{},"10":3,"9":4,"a":[true,null,"x"],"b":1,"é":2}',
    )
  })

  test('writes numbers as ECMAScript prints them, and minus zero as zero', () => {
    expect(canonical([-0, 1e21, 1e-7, 0.1 + 0.2, 123456789012345680000])).toBe(
      '[0,1e+21,1e-7,0.30000000000000004,123456789012345680000]',
    )
  })

  test('leaves out members that are undefined', () => {
    expect(canonical({ a: undefined, b: 1, c: { d: undefined } })).toBe('{"b":1,"c":{}}')
  })

  test('keeps keys that name parts of the language', () => {
    const text = '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3}'
    expect(canonical(JSON.parse(text))).toBe(text)
  })

  test('escapes lone surrogates, so that every text has UTF-8 bytes', () => {
    expect(canonical('\ud800 and 🙂')).toBe('"\\ud800 and 🙂"')
  })

  test('reading it back gives the value again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('does not depend on the order in which members were added', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonical(shuffle(value, (keys) => keys.toReversed()))).toBe(canonical(value))
        expect(canonical(shuffle(value, (keys) => keys.toSorted()))).toBe(canonical(value))
      }),
    )
  })

  test('two values have the same text only when they are equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isEqual =
          JSON.stringify(shuffle(a, (keys) => keys.toSorted())) ===
          JSON.stringify(shuffle(b, (keys) => keys.toSorted()))
        expect(canonical(a) === canonical(b)).toBe(isEqual)
      }),
    )
  })

  const cycle: unknown[] = []
  cycle.push({ cycle })
  test.each([
    ['NaN', Number.NaN],
    ['infinity', { a: Infinity }],
    ['undefined', undefined],
    ['a hole', [undefined]],
    ['a function', { f: () => 1 }],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['a date', new Date(0)],
    ['a map', new Map([[1, 2]])],
    [
      'an instance of a class',
      new (class Point {
        x = 1
      })(),
    ],
    ['a cycle', cycle],
  ])('refuses %s instead of guessing', (_, value) => {
    expect(() => canonical(value)).toThrow(expect.objectContaining({ code: 'JSON_INVALID' }))
  })

  test('accepts records without a prototype and frozen ones', () => {
    expect(canonical(Object.assign(Object.create(null) as object, { a: 1 }))).toBe('{"a":1}')
    expect(canonical(Object.freeze({ a: 1 }))).toBe('{"a":1}')
  })
})

test('inherited properties are not members, even if a library has extended all records', () => {
  const foreign = Object.create(Object.assign(Object.create(null) as object, { z: 1 })) as object
  expect(canonical(Object.assign(foreign, { a: 1 }))).toBe('{"a":1}')
  const texts: string[] = []
  Reflect.defineProperty(Object.prototype, 'zz', { value: 'x', enumerable: true, configurable: true })
  try {
    texts.push(canonical({ a: 1 }), canonical(toPlain({ b: 2, a: 1 }).value))
  } finally {
    Reflect.deleteProperty(Object.prototype, 'zz')
  }
  expect(texts).toEqual(['{"a":1}', '{"a":1,"b":2}'])
})

describe('toPlain', () => {
  test('leaves plain data as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const plain = toPlain(value)
        expect(canonical(plain.value)).toBe(canonical(value))
        expect(plain.issues).toEqual([])
      }),
    )
  })

  test('makes plain data of anything at all', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withNullPrototype: true,
      withObjectString: true,
      withBoxedValues: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        expect(() => canonical(toPlain(value).value)).not.toThrow()
      }),
    )
  })

  test('says what was lost, and where', () => {
    const cyclic: Record<string, unknown> = { n: Number.NaN, big: 5n, f: () => 1, list: [1, undefined] }
    cyclic['self'] = cyclic
    const { value, issues } = toPlain(cyclic)
    expect(value).toEqual({ n: null, big: '5', list: [1, null], self: '[cycle]' })
    expect(issues).toEqual([
      '$.n: the number NaN is not JSON',
      '$.big: a bigint (kept as text) is not JSON',
      '$.f: a function is not JSON',
      '$.self: a cycle is not JSON',
    ])
  })

  test('survives getters that throw, proxies, and nesting without end', () => {
    const hostile = {
      get bad(): never {
        throw new Error('no')
      },
    }
    expect(toPlain(hostile).value).toBe('[unreadable]')
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    )
    expect(toPlain([proxy]).value).toEqual(['[unreadable]'])
    let deep: unknown = 1
    for (let depth = 0; depth < 10_000; depth++) deep = [deep]
    expect(() => canonical(toPlain(deep).value)).not.toThrow()
  })

  test('one object seen twice is no cycle', () => {
    const shared = { a: 1 }
    expect(toPlain([shared, shared])).toEqual({ value: [{ a: 1 }, { a: 1 }], issues: [] })
  })

  test('dates, errors, maps, sets and bytes become what they say', () => {
    const { value } = toPlain({
      date: new Date(0),
      error: new TypeError('bad'),
      map: new Map([['a', 1]]),
      set: new Set([1]),
      bytes: new Uint8Array(3),
    })
    expect(value).toEqual({
      date: '1970-01-01T00:00:00.000Z',
      error: { name: 'TypeError', message: 'bad' },
      map: { a: 1 },
      set: [1],
      bytes: '[3 bytes]',
    })
  })

  test('a key named __proto__ is a key', () => {
    const { value } = toPlain(JSON.parse('{"__proto__":{"polluted":1}}'))
    expect(canonical(value)).toBe('{"__proto__":{"polluted":1}}')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('holes become null', () => {
    // oxlint-disable-next-line no-sparse-arrays
    expect(canonical(toPlain([1, , 3]).value)).toBe('[1,null,3]')
  })
})

test('invalid JSON text is refused with its name', () => {
  expect(() => parseJson('{"a":', 'Line 7')).toThrow(/^Line 7 is not valid JSON: /)
})

test('a frozen copy is not copied again', () => {
  const { value } = toPlain({ list: [1, { a: 2 }] }, true)
  expect(toPlain(value, true).value).toBe(value)
  expect(toPlain(value).value).not.toBe(value)
})
