import { expect, it } from 'vitest'
import { notes } from './private-slots.ts'

it('what is noted on an object is known of it alone, not of its copy, and shows nowhere', () => {
  const known = notes<string>()
  const object = { a: 1 }
  known.set(object, 'mine')
  expect(known.get(object)).toBe('mine')
  expect(known.get({ ...object })).toBeUndefined()
  expect(known.get(structuredClone(object))).toBeUndefined()
  expect(JSON.stringify(object)).toBe('{"a":1}')
  expect(Reflect.ownKeys(object)).toEqual(['a'])
})

it('two kinds of notes know nothing of each other', () => {
  const [one, other] = [notes<number>(), notes<number>()]
  const object = {}
  one.set(object, 1)
  expect(other.get(object)).toBeUndefined()
  other.set(object, 2)
  expect([one.get(object), other.get(object)]).toEqual([1, 2])
})
