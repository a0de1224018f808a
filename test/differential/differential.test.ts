import { describe, expect, test } from 'vitest'
import { isFull, rotate } from '../rotation.ts'
import { cases } from './cases/index.ts'
import { compare, compareAll } from './engines.ts'
import { generate } from './generator.ts'
import { generateRegExpBody, refusedMark } from './regexp-generator.ts'

/** Programs that share one start of both engines. */
const together = 20

describe('scripts mean what JavaScript means', () => {
  test('there are at least 300 programs written by hand', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300)
  })

  test.each(cases.map(({ topic, body }) => [topic, body]))('%s: %s', async (_, body) => {
    const { own, real } = await compare(body)
    expect(own).toBe(real)
  })

  const seed = Number(process.env['MANDATE_SEED'] ?? Math.floor(Date.now() / 1000))
  const count = isFull ? 100_000 : 1_500
  const blocks = Array.from({ length: 10 }, (_, index) => index)
  for (const block of isFull ? blocks : rotate(blocks, 'generated scripts')) {
    const size = isFull ? count / blocks.length : count
    test(`${size} generated programs, seed ${seed}, block ${block}`, { timeout: 600_000 }, async () => {
      process.stdout.write(`generated scripts: seed ${seed}, block ${block}; these again: MANDATE_SEED=${seed}\n`)
      const differences: string[] = []
      let ran = 0
      for (let index = 0; index < size && differences.length < 3; index += together) {
        const programs = Array.from({ length: together }, (_, one) =>
          generate(seed * 1_000_003 + block * 100_003 + index + one),
        )
        for (const [one, { own, real, isSame, isRefused }] of (await compareAll(programs)).entries()) {
          if (isRefused) continue
          ran += 1
          if (!isSame)
            differences.push(`seed ${programs[one]?.seed}\n${programs[one]?.source}\nreal: ${real}\nown: ${own}`)
        }
      }
      expect(differences.join('\n\n')).toBe('')
      // Programs that are refused prove nothing: nearly all must run.
      expect(ran).toBeGreaterThan(size * 0.9)
    })
  }

  test('regular expressions find, replace and split the same, or are refused', { timeout: 600_000 }, async () => {
    const size = isFull ? 20_000 : 400
    process.stdout.write(`generated expressions: seed ${seed}; these again: MANDATE_SEED=${seed}\n`)
    const differences: string[] = []
    let ran = 0
    for (let index = 0; index < size && differences.length < 3; index += together) {
      const bodies = Array.from({ length: together }, (_, one) => generateRegExpBody(seed * 7_919 + index + one))
      const compared = await compareAll(bodies.map((source) => ({ source, isAsync: false })))
      for (const [one, { own, real, isSame }] of compared.entries()) {
        if (own.includes(refusedMark)) continue
        ran += 1
        if (!isSame) differences.push(`${bodies[one]}\nreal: ${real}\nown: ${own}`)
      }
    }
    expect(differences.join('\n\n')).toBe('')
    expect(ran).toBeGreaterThan(size * 0.7)
  })
})
