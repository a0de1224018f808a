import { describe, expect, it } from 'vitest'
import { freezeDeep } from '../deep-freeze.ts'
import { canonical, inCanonicalOrder, writeAhead } from './canonical.ts'
describe('the order of keys', () => {
  it('is that of the written form, everywhere inside, and a value in order is given as it is', () => {
    const value = { b: [{ d: 1, c: 2 }], a: { y: 1, x: null } }
    expect(JSON.stringify(inCanonicalOrder(value))).toBe(canonical(value))
    const ordered = { a: [1, { b: 1, c: 2 }] }
    expect(inCanonicalOrder(ordered)).toBe(ordered)
    expect(Object.isFrozen(inCanonicalOrder(Object.freeze({ b: 1, a: 2 })))).toBe(true)
    const odd = JSON.parse('{"__proto__":{"b":1,"a":2},"a":1}') as object
    expect(JSON.stringify(inCanonicalOrder(odd))).toBe(canonical(odd))
  })
})

it('a large value that was written ahead has the same text and order inside of others', () => {
  const make = () => freezeDeep({ z: [{ b: 1, a: 'x' }], y: { d: null, c: [true, 2] } })
  const plain = { outcome: { value: make(), status: 'ok' }, at: 1 }
  const ahead = inCanonicalOrder(make())
  writeAhead(ahead)
  const prepared = { outcome: { value: ahead, status: 'ok' }, at: 1 }
  expect(canonical(prepared)).toBe(canonical(plain))
  expect(inCanonicalOrder(prepared).outcome.value).toBe(ahead)
})
