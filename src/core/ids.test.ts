import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkId, idFrom, manualClock, newId, seededRandom, systemClock, systemRandom } from './index.ts'

test('ids made later sort later', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 44), fc.nat(2 ** 44), (a, b) => {
      const [first, second] = [a, b].map((at) => newId('run', manualClock(at), systemRandom)) as [string, string]
      if (a !== b) expect(first < second).toBe(a < b)
    }),
  )
})

test('ids are usable as ids, also with a clock before 1970 or between milliseconds', () => {
  for (const at of [0, -5, 1.5, systemClock.now(), 2 ** 44])
    expect(() => checkId(newId('run', manualClock(at), systemRandom), 'Id')).not.toThrow()
})

test('ten thousand ids of one moment differ', () => {
  const clock = manualClock(1)
  expect(new Set(Array.from({ length: 10_000 }, () => newId('x', clock, systemRandom))).size).toBe(10_000)
})

test('the same seed and clock give the same ids', () => {
  const make = (): string[] => {
    const [clock, random] = [manualClock(5, 1), seededRandom('s')]
    return Array.from({ length: 5 }, () => newId('run', clock, random))
  }
  expect(make()).toEqual(make())
})

test.each(['a', 'A9', 'run_1.child-2', 'x'.repeat(128), '0'])('%s is a usable id', (id) => {
  expect(checkId(id, 'Id')).toBe(id)
})

test.each([
  '',
  '.',
  '..',
  '.a',
  '-a',
  '_a',
  'a..b',
  '../a',
  'a/b',
  'a\\b',
  'a b',
  'a\n',
  'a\u0000',
  'é',
  '🙂',
  'a:b',
  'a%2e',
  'x'.repeat(129),
  5,
  null,
  undefined,
  {},
  Object.create(null),
  Symbol('x'),
])('%o is refused and not repaired', (id) => {
  expect(() => checkId(id, 'The id')).toThrow(
    expect.objectContaining({ code: 'ID_INVALID', message: expect.stringMatching(/^The id .*Use 1 to 128/) }),
  )
})

test('an id made of any text is usable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(() => checkId(idFrom(text), 'Id')).not.toThrow()
    }),
  )
  expect(idFrom('Release notes (v2)!')).toBe('Release-notes-v2')
  expect(idFrom('///')).toBe('unnamed')
})
