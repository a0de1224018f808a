import { describe, expect, test } from 'vitest'
import { MandateError, seededRandom } from '../../core/index.ts'
import type { Compiled } from '../compile/compile.ts'
import { Stop } from '../meter/stop.ts'
import type { VmLimits } from '../meter/limits.ts'
import type { GuestMap } from '../value/collections.ts'
import type { Guest } from '../value/guest.ts'
import type { GuestArray } from '../value/guest-array.ts'
import { GuestFunction } from '../value/guest-function.ts'
import type { GuestObject } from '../value/guest-object.ts'
import { GuestPromise } from '../value/guest-promise.ts'
import type { GuestFormat } from '../value/native/guest-native.ts'
import type { GuestAbortController } from '../value/native/guest-abort.ts'
import type { GuestDataView, GuestTextCoder, GuestTyped } from '../value/native/guest-bytes.ts'
import type { GuestSearchParams, GuestUrl } from '../value/native/guest-url.ts'
import type { GuestWeak } from '../value/native/guest-weak.ts'
import { getNamed } from '../value/property.ts'
import { Thrown } from '../value/thrown.ts'
import { invoke } from './invoke.ts'
import { readValues, writeValues } from './value-serialization.ts'
import { createMachine } from './machine.ts'
import { compileScript } from './script.fixture.ts'

const SOURCE = `
  const floats = new Float64Array([1.5, -0])
  const url = new URL('https://a.example/p?q=1')
  const shared = { n: 1 }, ring = { shared }; ring.self = ring
  const controller = new AbortController(); controller.abort(ring)
  const gaps = [1, , 3]
  let count = 0
  const counter = () => (count += 1)
  const error = new TypeError('bad', { cause: shared }); error.more = 1
  args.kept = {
    shared, ring, gaps, counter, again: counter, frozen: Object.freeze({ a: 1 }), error, max: Math.max, found: 'xab'.match(/a/),
    odd: [-0, NaN, 1 / 0, undefined], map: new Map([[shared, 'one'], ['k', [shared]]]), set: new Set([1, shared]),
    date: new Date(5), pattern: /a(b)/gi, proto: Object.fromEntries([['__proto__', 1]]), keys: new Map([[1, 2]]).keys(),
    money: new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }), bound: new Intl.NumberFormat('en-US').format, weak: new WeakMap([[shared, 1]]), seen: new WeakSet([ring]),
    url, params: url.searchParams, alone: new URLSearchParams('x=1&x=2'), names: url.searchParams.keys(),
    bytes: new Uint8Array(floats.buffer), part: floats.subarray(1), view: new DataView(floats.buffer, 2, 3), coder: new TextDecoder('utf8', { fatal: true }),
    controller, signal: controller.signal,
  }
  await tools.echo(1)`

/** What the script of these tests has put into its arguments when it waits. */
async function made(): Promise<{ compiled: Compiled; text: string }> {
  const compiled = compileScript(SOURCE)
  const machine = createMachine(compiled, { args: {} })
  machine.start()
  await machine.idle()
  const root = (machine.args as GuestObject).get('kept') as GuestObject
  const values = new Map(root.keys().map((key) => [key, root.get(key)]))
  return { compiled, text: machine.within(() => writeValues(compiled, values)) }
}

/** Reads a text in a fresh machine, and does something with the values there. */
function within<T>(
  compiled: Compiled,
  text: string,
  use: (values: Map<string, Guest>) => T,
  limits?: Partial<VmLimits>,
): T {
  const machine = createMachine(compiled, { limits })
  return machine.within(() => use(readValues(compiled, text)))
}

describe('values as text', () => {
  test('formats come back, and methods that were read from them', async () => {
    const { compiled, text } = await made()
    within(compiled, text, (values) => {
      const money = values.get('money') as GuestFormat
      expect(invoke(getNamed(money, 'format'), [1234.5])).toBe('1.234,50\u00a0€')
      expect(invoke(values.get('bound'), [1234.5])).toBe('1,234.5')
      expect((values.get('weak') as GuestWeak).entries.get(values.get('shared'))).toBe(1)
      expect((values.get('seen') as GuestWeak).entries.has(values.get('ring'))).toBe(true)
    })
  })

  test('a URL and its parameters come back as one', async () => {
    const { compiled, text } = await made()
    within(compiled, text, (values) => {
      const [url, params] = [values.get('url') as GuestUrl, values.get('params') as GuestSearchParams]
      expect(getNamed(url, 'searchParams')).toBe(params)
      params.add('r', '2')
      params.changed()
      expect(url.href).toBe('https://a.example/p?q=1&r=2')
      url.label = 4
      expect([params.label, (values.get('alone') as GuestSearchParams).label]).toEqual([4, 0])
      expect((values.get('alone') as GuestSearchParams).text()).toBe('x=1&x=2')
    })
  })

  test('views of one buffer come back as views of one buffer', async () => {
    const { compiled, text } = await made()
    within(compiled, text, (values) => {
      const [bytes, part] = [values.get('bytes') as GuestTyped, values.get('part') as GuestTyped]
      expect([part.buffer === bytes.buffer, part.view.length, Object.is(part.view[0], -0)]).toEqual([true, 1, true])
      bytes.view.fill(0)
      part.view[0] = 2
      bytes.label = 2
      expect([bytes.view[15], part.label, (values.get('view') as GuestDataView).label]).toEqual([64, 2, 2])
      const { signal } = values.get('controller') as GuestAbortController
      expect([signal === values.get('signal'), signal.isAborted, signal.reason === values.get('ring')]).toEqual([
        true,
        true,
        true,
      ])
      expect((values.get('coder') as GuestTextCoder).isFatal).toBe(true)
    })
  })

  test('what is shared, circular, odd or a function comes back as it was', async () => {
    const { compiled, text } = await made()
    within(compiled, text, (values) => {
      const get = (name: string): GuestObject => values.get(name) as GuestObject
      expect(get('ring').get('self')).toBe(get('ring'))
      expect(get('ring').get('shared')).toBe(get('shared'))
      expect((values.get('map') as GuestMap).entries.get(get('shared'))).toBe('one')
      expect(get('error').get('more')).toBe(1)
      expect(get('frozen').set('a', 2)).toBe(false)
      expect([...get('proto').keys()]).toEqual(['__proto__'])
      const gaps = values.get('gaps') as GuestArray
      const found = values.get('found') as GuestArray
      expect([1 in gaps.items, gaps.items.length, gaps.hasGaps, found.named?.get('index')]).toEqual([false, 3, true, 1])
      expect(Object.is((values.get('odd') as GuestArray).items[0], -0)).toBe(true)
      expect((values.get('odd') as GuestArray).items.slice(1)).toEqual([Number.NaN, Infinity, undefined])
      // Both names are one function, over one variable.
      expect([invoke(values.get('counter'), []), invoke(values.get('again'), [])]).toEqual([1, 2])
      expect(invoke(values.get('max'), [3, 4])).toBe(4)
    })
    expect(within(compiled, text, (values) => writeValues(compiled, values))).toBe(text)
  })

  test('what is in use cannot be kept', () => {
    const compiled = compileScript('1')
    const write = (): string =>
      createMachine(compiled, {}).within(() => writeValues(compiled, new Map([['p', new GuestPromise()]])))
    expect(write).toThrow('promise')
  })

  test('functions are those of one program', async () => {
    const { text } = await made()
    expect(() => within(compileScript('2'), text, () => 1)).toThrow('another program')
  })

  test('reading pays, and is held to the limits', async () => {
    const { compiled, text } = await made()
    for (const limits of [{ memoryBytes: 500 }, { fuel: 0.01 }, { arrayLength: 2 }, { stringLength: 2 }])
      expect(() => within(compiled, text, () => 1, limits), JSON.stringify(limits)).toThrow(Stop)
  })
})

describe('texts that were changed', () => {
  const host = (): string =>
    JSON.stringify(
      [Object.prototype, Array.prototype, Function.prototype].map((each) => Object.getOwnPropertyNames(each)),
    )

  test('an id `__proto__` writes nothing of the host', async () => {
    const { compiled, text } = await made()
    const before = host()
    for (const id of ['"__proto__"', '"constructor"', '-1', '1e9', '0.5', 'null', '{}', '[0]'])
      expect(() => within(compiled, text.replace(/\[(\d+)\]/, `[${id}]`), () => 1), id).toThrow(MandateError)
    expect(host()).toBe(before)
    expect((Array.prototype as { label?: unknown }).label).toBeUndefined()
  })

  test('4,000 of them give values or typed errors, and leave the host as it was', async () => {
    const { compiled, text } = await made()
    const before = host()
    const numbers = seededRandom('kept values')
    const pick = <T>(items: readonly T[]): T => items[Math.floor(numbers.next() * items.length)]!
    const strange: unknown[] = [
      '__proto__',
      'constructor',
      -1,
      0,
      1,
      2 ** 31,
      0.5,
      null,
      true,
      [],
      [0],
      ['n'],
      ['h'],
      {},
      'f',
      'a',
      [[0]],
    ]
    const places = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
      typeof value === 'object' && value !== null
        ? [path, ...Object.entries(value).flatMap(([key, part]) => places(part, [...path, key]))]
        : [path]
    const all = places(JSON.parse(text)).filter((path) => path.length > 0)
    let refused = 0
    for (let turn = 0; turn < 4_000; turn++) {
      const read = JSON.parse(text) as Record<string, unknown>
      for (let change = 0; change <= turn % 3; change++) {
        const path = pick(all)
        let holder: Record<string, unknown> | undefined = read
        for (const key of path.slice(0, -1)) holder = holder?.[key] as Record<string, unknown> | undefined
        if (typeof holder === 'object' && holder !== null) holder[path.at(-1)!] = structuredClone(pick(strange))
      }
      const changed = turn % 50 === 0 ? text.slice(0, Math.floor(numbers.next() * text.length)) : JSON.stringify(read)
      try {
        within(compiled, changed, (values) => {
          for (const value of values.values()) if (value instanceof GuestFunction) invoke(value, [])
          writeValues(compiled, values)
        })
      } catch (error) {
        refused += 1
        const isTyped = MandateError.isInstance(error) || error instanceof Stop || error instanceof Thrown
        if (!isTyped) throw new Error(`turn ${turn}: ${String(error)}\n${changed}`, { cause: error })
      }
    }
    expect(refused).toBeGreaterThan(1_000)
    expect(host()).toBe(before)
  })
})
