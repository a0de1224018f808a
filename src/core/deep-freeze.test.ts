import { expect, test } from 'vitest'
import { frozenCopy, frozenList } from './deep-freeze.ts'

test('a copy of what is frozen only at its top does not change with its parts', () => {
  const parts = ['a']
  const copy = frozenCopy(Object.freeze({ deep: Object.freeze([parts]) as never }))
  parts.push('b')
  expect(copy).toEqual({ deep: [['a']] })
  expect(Object.isFrozen((copy as { deep: readonly unknown[] }).deep[0])).toBe(true)
})

test('what is frozen all the way down is not copied', () => {
  const whole = Object.freeze({ deep: Object.freeze(['a']) })
  expect(frozenCopy(whole)).toBe(whole)
  expect(frozenList(whole.deep)).toBe(whole.deep)
})

test('a list that can still change is copied', () => {
  const list = ['a']
  const frozen = frozenList(list)
  list.push('b')
  expect(frozen).toEqual(['a'])
  expect(() => (frozen as string[]).push('c')).toThrow(TypeError)
})
