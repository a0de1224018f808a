import { expect, test } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import {
  blueprintHash,
  compileRag,
  diffBlueprints,
  printRag,
  readBlueprint,
  renderDiagnostics,
  toMermaid,
} from '../../src/graph/index.ts'
import type { Blueprint } from '../../src/graph/index.ts'
import { readRotation } from '../rotation.ts'
import { compileSample, readSamples } from './samples.ts'

/** What lands in places of a blueprint where it was not expected. */
const JUNK: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  Infinity,
  '',
  'a',
  'END',
  '__proto__',
  'a b',
  'x } node y { next END',
  '"""',
  '\uD800',
  'state.x',
  'state.',
  [],
  ['a'],
  [null],
  {},
  { to: 'a' },
  { a: { b: [1] } },
  () => 1,
  Symbol('x'),
  10n,
  new Date(0),
  new Map(),
]

test('whatever stands in the JSON of a blueprint, it is read or refused; what is read can be printed, compared and drawn', () => {
  const random = seededRandom(readRotation())
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random.next() * list.length)]!
  const graphs = readSamples('valid').flatMap((sample) => compileSample(sample).graphs)
  const met = { read: 0, refused: 0 }
  for (let run = 0; run < 3000; run++) {
    const json = structuredClone(pick(graphs)) as Blueprint & Record<string, unknown>
    for (let changes = 1 + Math.floor(random.next() * 2); changes > 0; changes--) change(json, pick)
    const { blueprint, diagnostics } = readBlueprint(json)
    renderDiagnostics('', diagnostics)
    expect(blueprint === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
    for (const { path } of diagnostics) expect(path).toMatch(/^(\/|$)/)
    if (blueprint === undefined) {
      met.refused++
      continue
    }
    met.read++
    const again = compileRag(printRag(blueprint))
    expect(
      again.graphs.map(blueprintHash),
      `${printRag(blueprint)}\n${diffBlueprints(blueprint, again.graphs[0] ?? blueprint).text}`,
    ).toEqual([blueprintHash(blueprint)])
    expect(diffBlueprints(blueprint, again.graphs[0]!).changes).toEqual([])
    expect(toMermaid(blueprint)).toContain('flowchart TD')
  }
  expect(met.read).toBeGreaterThan(150)
  expect(met.refused).toBeGreaterThan(1000)
})

/** Puts junk, or another part of the same blueprint, into a place of it; or takes a member out. */
function change(root: Record<string, unknown>, pick: <T>(list: readonly T[]) => T): void {
  const places: [object, string][] = []
  const walk = (value: unknown, depth = 0): void => {
    // Parts that were put into themselves have no end.
    if (typeof value !== 'object' || value === null || depth > 12) return
    for (const [key, member] of Object.entries(value)) {
      places.push([value, key])
      walk(member, depth + 1)
    }
  }
  walk(root)
  const [owner, key] = pick(places)
  const record = owner as Record<string, unknown>
  const other = pick(places)
  const junk = pick(JUNK)
  const fresh = typeof junk === 'object' ? structuredClone(junk) : junk
  const value = pick([fresh, fresh, (other[0] as Record<string, unknown>)[other[1]]])
  if (pick([true, false, false])) delete record[key]
  else record[pick([key, key, key, 'extra'])] = value
}
