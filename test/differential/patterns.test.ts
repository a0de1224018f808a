import { describe, expect, test } from 'vitest'
import { Compiler } from '../../src/regexp/compiler.ts'
import { PatternParser } from '../../src/regexp/pattern-parser.ts'
import { Search } from '../../src/regexp/search.ts'
import type { Program } from '../../src/regexp/program.ts'
import { PatternProblem } from '../../src/regexp/syntax.ts'
import { isFull, readRotation } from '../rotation.ts'
import { type PatternCase, generatePattern, generatePieces } from './regexp-generator.ts'

const seed = Number(process.env['MANDATE_SEED'] ?? (isFull ? Math.floor(Date.now() / 1000) : readRotation()))

function compiled(source: string, flags: string): Program {
  return new Compiler(new PatternParser(source, flags).parse(), flags).compile()
}

function stepsOf(program: Program, text: string): number {
  let steps = 0
  const allowance = { spend: (more: number) => void (steps += more), hold: () => {} }
  new Search(program).first(text, 0, false, allowance)
  return steps
}

/** Where the real engine finds a match and its groups. */
function realSpans(expression: RegExp, text: string, from: number): readonly number[] | null {
  expression.lastIndex = from
  const found = expression.exec(text)
  return found === null ? null : found.indices!.flatMap((span) => span ?? [-1, -1])
}

function isPattern({ source, flags }: PatternCase): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

function problemOf({ source, flags }: PatternCase): PatternProblem | undefined {
  try {
    compiled(source, flags)
    return undefined
  } catch (error) {
    if (error instanceof PatternProblem) return error
    throw error
  }
}

/** Finds from every place of every text, also with an eye on the allowance at each step: places visited are then noted early. */
function differences({ source, flags, texts }: PatternCase): string[] {
  const program = compiled(source, flags)
  const searches = [new Search(program), new Search(program, 1)]
  const free = { spend: () => {}, hold: () => {} }
  const places = texts.flatMap((text) => Array.from({ length: text.length + 1 }, (_, from) => ({ text, from })))
  const found: string[] = []
  for (const isSticky of [false, true]) {
    const expression = new RegExp(source, `${flags}d${isSticky ? 'y' : 'g'}`)
    for (const { text, from } of places) {
      const real = JSON.stringify(realSpans(expression, text, from))
      const own = searches.map((search) => JSON.stringify(search.first(text, from, isSticky, free)))
      if (own.some((spans) => spans !== real))
        found.push(`${expression} ${JSON.stringify(text)} from ${from}: real ${real}, own ${own.join(' or ')}`)
    }
  }
  return found
}

describe('patterns mean what JavaScript means', () => {
  const count = isFull ? 50_000 : 500
  test(`${count} generated patterns find the same matches and groups`, { timeout: 600_000 }, () => {
    process.stdout.write(`generated patterns: seed ${seed}; these again: MANDATE_SEED=${seed}\n`)
    const found: string[] = []
    for (let index = 0; index < count && found.length < 3; index += 1) {
      found.push(...differences(generatePattern(seed * 1_000_003 + index)))
    }
    expect(found.join('\n')).toBe('')
  })

  test('what is no pattern is none here either, and what is one means the same or is refused', () => {
    let same = 0
    for (let index = 0; index < count * 4; index += 1) {
      const made = generatePieces(seed * 1_000_003 + index)
      const real = isPattern(made)
      const problem = problemOf(made)
      if (problem?.isRefused === true) continue
      expect(problem === undefined, `/${made.source}/${made.flags}: ${problem?.message}`).toBe(real)
      expect(real ? differences(made) : []).toEqual([])
      same += 1
    }
    // Refusals prove nothing: nearly none may be one.
    expect(same).toBeGreaterThan(count * 4 * 0.9)
  })

  test('no generated pattern takes more steps for each character than it has places', () => {
    for (let index = 0; index < count / 10; index += 1) {
      const { source, flags, texts } = generatePattern(seed * 1_000_003 + index)
      const program = compiled(source, flags)
      for (const part of ['a', 'ab', ...texts]) {
        const text = part.repeat(200)
        const most = (text.length + 10) * (program.code.length + 50)
        expect(stepsOf(program, text), `/${source}/${flags} in ${part}`).toBeLessThan(most)
      }
    }
  })
})
