import { expect, test } from 'vitest'
import { allLabels, controlLabels, joinLabels, labelsAt, matchesLabel } from './index.ts'

test('a join holds every label once, in one order', () => {
  expect(joinLabels(undefined, ['b', 'a'], [], ['a', 'c'])).toEqual(['a', 'b', 'c'])
  expect(joinLabels(['b', 'a'])).toEqual(['b', 'a'])
  expect(joinLabels()).toEqual([])
})

test('a join of very many labels keeps their kinds, and every rule about one of them still applies', () => {
  const many = Array.from({ length: 1000 }, (_, index) => [`untrusted:site-${index}`])
  const joined = joinLabels(['pii'], ...many)
  expect(joined).toEqual(['pii', 'untrusted:*'])
  for (const pattern of ['untrusted:*', 'untrusted:site-7', '*'])
    expect(joined.some((label) => matchesLabel(pattern, label))).toBe(true)
  expect(matchesLabel('secret:*', 'untrusted:*')).toBe(false)
})

test('a part has its own labels or those around it, and those inside it', () => {
  const labels = { at: { '': ['a'], '/x': ['b'], '/x/y/z': ['c'], '/xy': ['d'] }, pc: ['e'] }
  expect(labelsAt(labels, '/x')).toEqual(['b', 'c'])
  expect(labelsAt(labels, '/x/y')).toEqual(['b', 'c'])
  expect(labelsAt(labels, '/x/y/z')).toEqual(['c'])
  expect(labelsAt(labels, '/other/deep')).toEqual(['a'])
  expect(labelsAt(labels, '')).toEqual(['a', 'b', 'c', 'd'])
  expect(labelsAt({ at: {} }, '/constructor')).toEqual([])
  expect(labelsAt(['a'], '/x')).toEqual(['a'])
  expect(labelsAt(undefined, '/x')).toEqual([])
})

test('all labels are those of every part and of what led to the call', () => {
  expect(allLabels({ at: { '/x': ['b'] }, pc: ['a'] })).toEqual(['a', 'b'])
  expect(allLabels(['a'])).toEqual(['a'])
  expect(allLabels(undefined)).toEqual([])
  expect(controlLabels({ at: { '/x': ['b'] } })).toEqual([])
  expect(controlLabels(['a'])).toEqual(['a'])
  expect(controlLabels(undefined)).toEqual([])
})
