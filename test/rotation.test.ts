import { expect, test } from 'vitest'
import { everyFifth, isFull, pickTenth, readRotation, shareOf } from './rotation.ts'

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

test('of a suite for another subject a fifth runs, every day another, and all of it in the full run', () => {
  const ran: string[] = []
  const it = Object.assign((name: string) => void ran.push(name), { skip: () => {} })
  const some = everyFifth(it)
  const names = Array.from({ length: 10 }, (_, index) => String(index))
  for (const name of names) some(name, async () => {})
  const today = readRotation() % 5
  expect(ran).toEqual(isFull ? names : [String(today), String(today + 5)])
})

test('the short suite and its sweep together run every case exactly once', () => {
  const cases = Array.from({ length: 23 }, (_, index) => index)
  expect(shareOf(cases, 5, false)).toEqual([0, 5, 10, 15, 20])
  expect([...shareOf(cases, 5, false), ...shareOf(cases, 5, true)].toSorted((a, b) => a - b)).toEqual(cases)
})
