import { expect, test } from 'vitest'
import { live } from '../../meter/live.ts'
import { TextSearch, findLastText, findText } from './text-search.ts'

/** Numbers from a fixed seed. */
function chance(): (below: number) => number {
  let seed = 7
  return (below) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % below
}

/** Texts of few letters, periodic ones among them, and pieces of them that nearly stand there. */
function* pairs(): Generator<readonly [text: string, sought: string, from: number]> {
  const pick = chance()
  for (let round = 0; round < 1_500; round += 1) {
    const letters = 1 + pick(3)
    const make = (length: number): string => Array.from({ length }, () => 'abc'[pick(letters)]).join('')
    const text = pick(5) === 0 ? make(pick(10)).repeat(pick(60)) : make(pick(1_500))
    const part = text.slice(pick(50), 50 + pick(600)) + (pick(2) === 0 ? 'b' : '')
    yield [text, pick(2) === 0 ? make(pick(8)) : part, pick(text.length + 3)]
  }
}

function allPlaces(next: (from: number) => number, step: number): number[] {
  const places: number[] = []
  for (let at = next(0); at >= 0; at = next(at + step)) places.push(at)
  return places
}

test('a text is found where the platform finds it, forward, backward and again and again', () => {
  live.fuel = 1e15
  live.memory = 1e15
  for (const [text, sought, from] of pairs()) {
    expect(findText(text, sought, from)).toBe(text.indexOf(sought, from))
    expect(findLastText(text, sought, from)).toBe(text.lastIndexOf(sought, from))
    if (sought === '') continue
    const search = new TextSearch(text, sought)
    expect(allPlaces((at) => search.next(at), sought.length)).toEqual(
      allPlaces((at) => text.indexOf(sought, at), sought.length),
    )
  }
})
