import { expect, test } from 'vitest'
import { compileScript } from '../machine/script.fixture.ts'
import { regionOf } from './regions.ts'

test('a region tells what it may set, how it may be left and what it may call', () => {
  const { main } = compileScript(`
    let a = 1; const o = {}; let untouched = 2
    for (const x of [1]) { if (x) { a += x; o.p = 1; break } else { const f = () => { untouched = 3 }; f(); throw x } }
  `)
  const loop = main.fn.body.body.find((st) => st.k === 'forof')!
  const region = regionOf(loop)
  expect([...region.assigned].map(({ name }) => name).sort()).toEqual(['a', 'f', 'o', 'x'])
  expect(region.exits).toEqual(['break', 'throw'])
  expect(region.functions).toHaveLength(1)
  expect(region.hasCalls).toBe(true)
  expect([...regionOf(region.functions[0]!.body).assigned].map(({ name }) => name)).toEqual(['untouched'])
})
