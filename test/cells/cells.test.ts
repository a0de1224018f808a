import { expect, test } from 'vitest'
import { type Comparison, type Cell, compareCell, readCells } from './corpus.ts'

/** How many cells of each category the VM takes. The figure goes up with the language, never down. */
const ACCEPTED: Readonly<Record<string, number>> = {
  algorithms: 28,
  async: 35,
  classes: 47,
  'data-wrangling': 43,
  dates: 29,
  errors: 19,
  generators: 16,
  money: 21,
  parsing: 45,
  patterns: 29,
  platform: 39,
  reports: 22,
  statistics: 19,
  text: 35,
  tools: 34,
}

/** Code that asks for the host: it stays refused, and its message says how else to do it. */
const OUT_OF_REACH = 'out-of-reach'

const cells = readCells()
const compared = new Map<Cell, Comparison>()
for (const cell of cells) compared.set(cell, await compareCell(cell))

function of(category: string): [Cell, Comparison][] {
  return [...compared].filter(([cell]) => cell.category === category)
}

test('there are at least 300 cells', () => {
  expect(cells.length).toBeGreaterThanOrEqual(300)
  expect(new Set(cells.map(({ category, name }) => `${category} ${name}`)).size).toBe(cells.length)
})

test('a cell gives what JavaScript gives, or is refused', () => {
  const different = [...compared].filter(([, { verdict }]) => verdict === 'different')
  expect(different.map(([cell, { own, real }]) => ({ name: cell.name, own, real }))).toEqual([])
})

test('the share of cells that the VM takes does not fall', () => {
  const counts = Object.keys(ACCEPTED).map((category) => {
    const all = of(category)
    return { category, taken: all.filter(([, { verdict }]) => verdict === 'equal').length, of: all.length }
  })
  const [taken, whole] = [counts.reduce((sum, one) => sum + one.taken, 0), counts.reduce((sum, one) => sum + one.of, 0)]
  const lines = counts.map((one) => `${one.category.padEnd(16)}${one.taken} of ${one.of}`)
  process.stdout.write(
    `${lines.join('\n')}\ncells taken: ${taken} of ${whole} (${((taken / whole) * 100).toFixed(1)} %)\n`,
  )
  expect(Object.fromEntries(counts.map((one) => [one.category, one.taken]))).toEqual(ACCEPTED)
  expect(counts.map((one) => one.category).toSorted()).toEqual(
    [...new Set(cells.map(({ category }) => category))].filter((one) => one !== OUT_OF_REACH).toSorted(),
  )
})

test('code that asks for the host is refused with a way out', () => {
  for (const [{ name }, { verdict, own }] of of(OUT_OF_REACH)) {
    expect(verdict, name).toBe('refused')
    expect(own, name).toMatch(/tools\.|JSON\.parse|btoa|args/)
  }
})

test('every refusal names code to write instead', () => {
  const bare = [...compared].filter(([, { verdict, own }]) => verdict === 'refused' && !/`|Write|instead/.test(own))
  expect(bare.map(([{ name }, { own }]) => [name, own])).toEqual([])
})
