import { expect, it } from 'vitest'
import { freezeDeep } from '../deep-freeze.ts'
import { canonical, writeAhead } from './canonical.ts'

it('equal values have one text, whatever the order of their keys, and stay as they are', () => {
  const value = { b: [{ d: 1, c: 2 }], a: { y: 1, x: null }, 10: 1, 9: 2 }
  expect(canonical(value)).toBe('{"10":1,"9":2,"a":{"x":null,"y":1},"b":[{"c":2,"d":1}]}')
  expect(JSON.stringify(value)).toBe('{"9":2,"10":1,"b":[{"d":1,"c":2}],"a":{"y":1,"x":null}}')
  const odd = JSON.parse('{"__proto__":{"b":1,"a":2},"a":1}') as object
  expect(canonical(odd)).toBe('{"__proto__":{"a":2,"b":1},"a":1}')
})

it('a large value that was written ahead has the same text inside of others', () => {
  const make = () => freezeDeep({ z: [{ b: 1, a: 'x' }], y: { d: null, c: [true, 2] } })
  const plain = { outcome: { value: make(), status: 'ok' }, at: 1 }
  const ahead = make()
  writeAhead(ahead)
  expect(canonical({ outcome: { value: ahead, status: 'ok' }, at: 1 })).toBe(canonical(plain))
})
