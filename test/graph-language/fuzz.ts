import { expect } from 'vitest'
import { seededRandom } from '../../src/core/index.ts'
import {
  blueprintHash,
  compileRag,
  formatRag,
  printRag,
  readBlueprint,
  renderDiagnostics,
} from '../../src/graph/index.ts'
import type { Diagnostic } from '../../src/graph/index.ts'
import { mutate } from './mutations.ts'
import { readSamples } from './samples.ts'

const sources = [...readSamples('valid'), ...readSamples('invalid')].map(({ source }) => source)

/** What was met on the way: a run over texts that all fail in one place would prove little. */
export interface Met {
  readonly codes: Set<string>
  compiled: number
  formatted: number
}

/** Compiles, formats and prints changed samples. A failure names the seed and shows the text. */
export function fuzz(seed: number, runs: number): Met {
  const random = seededRandom(seed)
  const met: Met = { codes: new Set(), compiled: 0, formatted: 0 }
  for (let run = 0; run < runs; run++) {
    const source = mutate(sources[Math.floor(random.next() * sources.length)]!, sources, random)
    try {
      checkText(source, met)
    } catch (error) {
      throw new Error(`seed ${seed}, run ${run}: ${JSON.stringify(source)}\n${String(error)}`, { cause: error })
    }
  }
  return met
}

function checkText(source: string, met: Met): void {
  const { graphs, diagnostics } = compileRag(source)
  checkPlaces(source, diagnostics)
  for (const { code } of diagnostics) met.codes.add(code)
  const isRefused = diagnostics.some(({ severity }) => severity === 'error')
  if (isRefused) expect(graphs).toEqual([])
  for (const graph of graphs) {
    met.compiled++
    const printed = printRag(graph)
    const again = compileRag(printed)
    expect(again.graphs.map(blueprintHash), printed).toEqual([blueprintHash(graph)])
    expect(printRag(again.graphs[0]!)).toBe(printed)
    const read = readBlueprint(JSON.parse(JSON.stringify(graph)))
    expect(read.blueprint && blueprintHash(read.blueprint)).toBe(blueprintHash(graph))
  }
  const { text } = formatRag(source)
  if (text === undefined) return
  met.formatted++
  expect(formatRag(text).text, text).toBe(text)
  expect(compileRag(text).graphs.map(blueprintHash), text).toEqual(graphs.map(blueprintHash))
}

/** Every place is inside the text, at the line and column that it names, and can be shown. */
function checkPlaces(source: string, diagnostics: readonly Diagnostic[]): void {
  expect(diagnostics.length).toBeLessThanOrEqual(101)
  for (const { span, related = [], message, help } of diagnostics) {
    for (const place of [...(span ? [span] : []), ...related.map((each) => each.span)]) {
      expect(place.start).toBeGreaterThanOrEqual(0)
      expect(place.end).toBeGreaterThanOrEqual(place.start)
      expect(place.end).toBeLessThanOrEqual(source.length)
      const before = source.slice(0, place.start).split('\n')
      expect([place.line, place.column]).toEqual([before.length, Array.from(before.at(-1)!).length + 1])
    }
    expect(message.length + (help?.length ?? 0)).toBeLessThan(1000)
  }
  const shown = renderDiagnostics(source, diagnostics)
  for (const line of shown.split('\n')) expect(line.length).toBeLessThan(1100)
}
