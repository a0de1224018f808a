import { expect, test } from 'vitest'
import type { Json } from '../core/index.ts'
import { packLabels, unpackLabels } from './stored-labels.ts'

const VALUES: readonly Json[] = [null, 'text', 7, true, [], [1, { a: 2 }], {}, { a: 1 }, { value: 1, labels: ['x'] }]

test.each(VALUES.map((value) => [value]))('%j comes back as it was, with its labels', (value) => {
  expect(unpackLabels(packLabels(value, ['untrusted:web']))).toEqual({ value, labels: ['untrusted:web'] })
})

test('what is clean is stored as it is', () => {
  for (const value of VALUES) expect(packLabels(value, [])).toEqual(value)
})

test('the members of a stored object stay where queries look for them', () => {
  expect(packLabels({ a: 1 }, ['pii'])).toEqual({ a: 1, 'mandate:labels': ['pii'] })
})

test('a value that claims labels of its own can only add to them', () => {
  const forged = { a: 1, 'mandate:labels': [] }
  expect(unpackLabels(packLabels(forged, ['untrusted:web']))).toEqual({ value: { a: 1 }, labels: ['untrusted:web'] })
  expect(unpackLabels({ a: 1, 'mandate:labels': 'none' })).toEqual({ value: { a: 1 }, labels: [] })
})
