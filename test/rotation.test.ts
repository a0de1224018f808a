import { expect, test } from 'vitest'
import { pickTenth, readRotation } from './rotation.ts'

test('the ten rotations together run every case exactly once', () => {
  const cases = Array.from({ length: 137 }, (_, index) => index)
  const seen = Array.from({ length: 10 }, (_, rotation) => pickTenth(cases, rotation)).flat()
  expect(seen.toSorted((a, b) => a - b)).toEqual(cases)
})

test('a sweep with fewer than ten cases still runs one of them every day', () => {
  for (let rotation = 0; rotation < 10; rotation++) expect(pickTenth(['a', 'b', 'c'], rotation)).toHaveLength(1)
  expect(pickTenth([], 3)).toEqual([])
})

test('MANDATE_ROTATION chooses the tenth, and nonsense in it is refused', () => {
  expect(readRotation({ MANDATE_ROTATION: '7' })).toBe(7)
  expect(() => readRotation({ MANDATE_ROTATION: 'seven' })).toThrow('whole number')
})
