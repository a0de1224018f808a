import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Best, WordRanking, fuse } from './rank.ts'

test('the best of many are the best of all, in order, the first of equals before', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 0, max: 12 }), (scores, limit) => {
      const best = new Best<number>(limit)
      for (const [index, score] of scores.entries()) best.offer(index, score)
      const wanted = scores.map((score, item) => ({ item, score })).sort((a, b) => b.score - a.score || a.item - b.item)
      expect(best.list()).toEqual(wanted.slice(0, limit))
    }),
  )
})

test('a rare word says more than a common one, and the same in a long text less', () => {
  const ranking = new WordRanking<string>(['common', 'rare'])
  ranking.add('rare', ['rare', 'x'])
  ranking.add('long', ['rare', 'y', 'y', 'y', 'y'])
  for (const name of ['a', 'b', 'c']) ranking.add(name, ['common', 'x'])
  expect(ranking.best(3).map(({ item }) => item)).toEqual(['rare', 'long', 'c'])
})

test('rankings are joined by places: what both have comes before what one has first', () => {
  const joined = fuse(
    [
      ['a', 'both', 'b'],
      ['c', 'both'],
    ],
    (item) => item,
  )
  expect(joined[0]!.item).toBe('both')
  expect(joined.map(({ item }) => item).toSorted()).toEqual(['a', 'b', 'both', 'c'])
})
