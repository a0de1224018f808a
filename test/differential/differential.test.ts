import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { isFull, isSweep, readRotation, rotate } from '../rotation.ts'
import { cases } from './cases/index.ts'
import { compareAll } from './engines.ts'
import type { Comparison } from './engines.ts'
import { generate } from './generator.ts'
import { generateRegExpBody } from './regexp-generator.ts'

/** Programs that share one start of both engines. */
const together = 20

describe('scripts mean what JavaScript means', () => {
  test.skipIf(isSweep)('there are at least 300 programs written by hand', () => {
    expect(cases.length).toBeGreaterThanOrEqual(300)
  })

  /** Programs written by hand, compared with their neighbours: what does not agree among them is compared alone. */
  const known = new Map<number, Promise<Comparison[]>>()
  const comparedAt = async (index: number): Promise<Comparison> => {
    const from = index - (index % together)
    const bodies = cases
      .slice(from, from + together)
      .map(({ body }) => ({ source: body, isAsync: /\bawait\b/.test(body) }))
    if (!known.has(from)) known.set(from, compareAll(bodies))
    return (await known.get(from)!)[index - from]!
  }

  test.skipIf(isSweep).each(cases.map(({ topic, body }, index) => [topic, body, index] as const))(
    '%s: %s',
    async (_, __, index) => {
      const { own, real } = await comparedAt(index)
      expect(own).toBe(real)
    },
  )

  // New programs in every full run; the short one is about what is known to hold, and the same tenth gives the same programs.
  const fresh = isFull ? Math.floor(Date.now() / 1000) : readRotation()
  const seed = Number(process.env['MANDATE_SEED'] ?? fresh)
  const count = isFull ? 100_000 : isSweep ? 100 : 40
  /** The full run has them in the sweep alone. */
  const isElsewhere = isFull && !isSweep
  const blocks = Array.from({ length: 10 }, (_, index) => index)
  for (const block of isFull ? blocks : rotate(blocks, 'generated scripts')) {
    if (isElsewhere) break
    const size = isFull ? count / blocks.length : count
    test(`${size} generated programs, seed ${seed}, block ${block}`, { timeout: 600_000 }, async () => {
      process.stdout.write(`generated scripts: seed ${seed}, block ${block}; these again: MANDATE_SEED=${seed}\n`)
      if (isFull) return inOwnProcess(size, seed * 1_000_003 + block * 100_003)
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

  test.skipIf(isElsewhere)('regular expressions find, replace and split the same', { timeout: 600_000 }, async () => {
    const size = isFull ? 20_000 : isSweep ? 160 : 60
    process.stdout.write(`generated expressions: seed ${seed}; these again: MANDATE_SEED=${seed}\n`)
    const differences: string[] = []
    for (let index = 0; index < size && differences.length < 3; index += together) {
      const bodies = Array.from({ length: together }, (_, one) => generateRegExpBody(seed * 7_919 + index + one))
      const compared = await compareAll(bodies.map((source) => ({ source, isAsync: false })))
      for (const [one, { own, real, isSame }] of compared.entries()) {
        if (!isSame) differences.push(`${bodies[one]}\nreal: ${real}\nown: ${own}`)
      }
    }
    expect(differences.join('\n\n')).toBe('')
  })
})

/** The real engine keeps something of every program it ever compiled, so a long run needs more than one process. */
function inOwnProcess(count: number, seed: number): void {
  const flags = ['--conditions=mandate-source', '--disable-warning=ExperimentalWarning', '--max-old-space-size=3000']
  const fuzz = spawnSync(process.execPath, [...flags, 'scripts/fuzz.ts', 'scripts', String(count), String(seed)], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  expect([fuzz.status, fuzz.stdout, fuzz.stderr]).toEqual([0, expect.stringContaining(' 0 differences'), ''])
}
