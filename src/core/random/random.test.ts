import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seededRandom, systemRandom } from '../index.ts'

test('a seed gives the same numbers on every machine and for ever', () => {
  const random = seededRandom('golden')
  expect([random.next(), random.next()]).toEqual([0.9885516176000237, 0.7246569432318211])
  expect(random.hex(6)).toBe('03edea6fc240')
})

test('near seeds are far apart', () => {
  const firsts = new Set(Array.from({ length: 1_000 }, (_, seed) => seededRandom(seed).next()))
  expect(firsts.size).toBe(1_000)
  expect(seededRandom(1).next()).toBe(seededRandom('1').next())
})

test('numbers lie in [0, 1) and spread over it', () => {
  for (const random of [seededRandom('spread'), systemRandom]) {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let index = 0; index < 10_000; index++) tenths[Math.floor(random.next() * 10)]! += 1
    expect(tenths).toHaveLength(10)
    for (const count of tenths) expect(count).toBeGreaterThan(800)
  }
})

test('the requested number of hex digits is returned', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(300), fc.integer({ min: 4_000, max: 9_000 })), (count) => {
      for (const random of [seededRandom(count), systemRandom])
        expect(random.hex(count)).toMatch(new RegExp(`^[0-9a-f]{${count * 2}}$`))
    }),
  )
})

test("the platform's generator does not repeat itself", () => {
  expect(new Set(Array.from({ length: 5_000 }, () => systemRandom.hex(16))).size).toBe(5_000)
})
