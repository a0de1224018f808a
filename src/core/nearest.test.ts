import { describe, expect, it } from 'vitest'
import { nearest } from './nearest.ts'

describe('what was probably meant', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['serach', ['search', 'fetch'], 'search'],
    ['Search', ['search'], 'search'],
    ['kvget', ['kv_get', 'kv_set'], 'kv_get'],
    ['profle', ['profile', 'allow'], 'profile'],
    ['fule', ['fuel', 'rule-set'], 'fuel'],
    ['x', ['search'], undefined],
    ['completely', ['different'], undefined],
    ['a', [], undefined],
    ['x'.repeat(100), ['x'.repeat(100)], undefined],
  ])('%s of %o is %s', (word, candidates, expected) => {
    expect(nearest(word, candidates)).toBe(expected)
  })
})
