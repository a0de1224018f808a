import { globSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/index.ts'
import { ERROR_DIAGNOSTICS, WARNING_DIAGNOSTICS } from '../../src/graph/blueprint/codes.ts'
import {
  blueprintHash,
  compileRag,
  diffBlueprints,
  formatRag,
  printRag,
  readBlueprint,
  renderDiagnostics,
  toMermaid,
} from '../../src/graph/index.ts'
import { compileGraph } from '../../src/graph/runtime/compiled-graph.ts'
import { at, compileSample, findings, readSamples } from './samples.ts'
import type { Sample } from './samples.ts'

const valid = readSamples('valid')
const invalid = readSamples('invalid')
const named = (samples: readonly Sample[]): [string, Sample][] => samples.map((sample) => [sample.id, sample])

test('there are 200 samples of each kind, no two of them the same', () => {
  expect(valid.length).toBeGreaterThanOrEqual(200)
  expect(invalid.length).toBeGreaterThanOrEqual(200)
  const all = [...valid, ...invalid]
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  expect(new Set(all.map(({ source, catalog }) => JSON.stringify([source, catalog]))).size).toBe(all.length)
})

describe('a text without errors', () => {
  test.each(named(valid))('%s compiles to what it says, with the warnings that it deserves', (_, sample) => {
    const { graphs, diagnostics } = compileSample(sample)
    expect(findings(diagnostics)).toEqual(findings(sample.expect ?? []))
    expect(diagnostics.every(({ severity }) => severity === 'warning')).toBe(true)
    for (const [pointer, value] of Object.entries(sample.has ?? {}))
      expect(at(graphs.length === 1 ? graphs[0] : graphs, pointer), pointer).toEqual(value)
    checkHelp(sample)
  })

  test.each(named(valid))('%s is the same graph after it was printed', (_, sample) => {
    for (const graph of compileSample(sample).graphs) {
      const text = printRag(graph)
      const again = compileRag(text)
      expect(again.graphs.map(blueprintHash), text).toEqual([blueprintHash(graph)])
      expect(diffBlueprints(graph, again.graphs[0]!).text).toBe('')
      expect(formatRag(text).text, 'what is printed is in the one layout').toBe(text)
    }
  })

  test.each(named(valid))(
    '%s keeps its meaning and its comments when it is formatted, and is then left alone',
    (_, sample) => {
      const { text } = formatRag(sample.source)
      expect(formatRag(text!).text).toBe(text)
      const hashes = (source: string): string[] => compileRag(source).graphs.map(blueprintHash)
      expect(hashes(text!)).toEqual(hashes(sample.source))
      const comments = (source: string): string[] => source.match(/\/\/ .*$/gm)?.map((each) => each.trim()) ?? []
      if (!sample.source.includes('http'))
        expect(comments(text!).toSorted()).toEqual(comments(sample.source).toSorted())
    },
  )

  test.each(named(valid))('%s is accepted as JSON too, with the same warnings about the graph', (_, sample) => {
    const { graphs, diagnostics } = compileRag(sample.source)
    const codes = graphs.flatMap((graph) => {
      const read = readBlueprint(JSON.parse(JSON.stringify(graph)))
      expect(read.blueprint && blueprintHash(read.blueprint)).toBe(blueprintHash(graph))
      return read.diagnostics.map(({ code }) => code)
    })
    const ofText = ['W-rag-repeated-item', 'W-rag-hidden-character', 'W-rag-no-graph']
    expect(codes.toSorted()).toEqual(
      diagnostics
        .map(({ code }) => code)
        .filter((code) => !ofText.includes(code))
        .toSorted(),
    )
  })

  test.each(named(valid))('%s is a graph that the runtime takes', (_, sample) => {
    const functions = { router: () => undefined, reducer: () => (_current: unknown, update: Json) => update }
    for (const graph of compileSample(sample).graphs)
      expect([...compileGraph(graph, functions).nodes.keys()]).toEqual(graph.nodes.map(({ name }) => name))
  })

  test.each(named(valid))('%s can be drawn, every way of it', (_, sample) => {
    for (const graph of compileSample(sample).graphs) {
      const lines = toMermaid(graph).trimEnd().split('\n')
      expect(lines[0]).toBe('flowchart TD')
      for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}(\w+[[({]|\w+ (-->|-\.->))/)
      const ways = graph.nodes.flatMap(({ next, routes = [], sends = [], command }) => [
        ...(next === undefined && command?.goto === undefined ? [] : [1]),
        ...routes,
        ...sends,
      ])
      expect(lines.filter((line) => /-->|-\.->/.test(line)).length).toBeGreaterThanOrEqual(
        ways.length + graph.edges.length,
      )
    }
  })
})

describe('a text with errors', () => {
  test.each(named(invalid))('%s gets every finding at its place, and no graph', (_, sample) => {
    const { graphs, diagnostics } = compileSample(sample)
    expect(findings(diagnostics)).toEqual(findings(sample.expect!))
    expect(diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
    expect(graphs).toEqual([])
    checkHelp(sample)
  })

  test.each(named(invalid))('%s is shown with carets under what is meant', (_, sample) => {
    const { diagnostics } = compileSample(sample)
    const blocks = renderDiagnostics(sample.source, diagnostics).split('\n\n')
    expect(blocks.length).toBe(diagnostics.length)
    for (const [index, { code, message, span }] of diagnostics.entries()) {
      expect(blocks[index]!.replaceAll('\n', ' ')).toContain(`[${code}]: ${message.replaceAll('\n', ' ')}`)
      expect(blocks[index]).toContain(`graph.rag:${span!.line}:${span!.column}\n`)
      expect(blocks[index]).toMatch(/^ *\| .*\^/m)
    }
  })

  test.each(named(invalid))('%s is not formatted when it cannot be read', (_, sample) => {
    const { text, diagnostics } = formatRag(sample.source)
    expect(text === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
  })
})

test('every finding that a text can have is in a sample', () => {
  const seen = new Set([...valid, ...invalid].flatMap(({ expect: expected = [] }) => expected.map(({ code }) => code)))
  // Limits have tests of their own; the others are about JSON.
  const elsewhere = [
    'E-rag-too-large',
    'E-rag-too-many',
    'E-rag-unknown-field',
    'E-rag-missing-field',
    'E-rag-invalid-type',
  ]
  const missing = [...ERROR_DIAGNOSTICS, ...WARNING_DIAGNOSTICS].filter((code) => !seen.has(code))
  expect(missing.toSorted()).toEqual(elsewhere.toSorted())
})

test('the page about the language has a row for every finding, and no other', () => {
  const page = readFileSync(new URL('../../docs/graph-language.md', import.meta.url), 'utf8')
  const rows = page.slice(page.indexOf('## Diagnostics')).match(/[EW]-rag-[\w-]+/g)
  expect([...new Set(rows)].toSorted()).toEqual([...ERROR_DIAGNOSTICS, ...WARNING_DIAGNOSTICS].toSorted())
})

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const pages = globSync('{README.md,docs/*.md}').map((path): [string, string] => [path, read(path)])
const examples = [
  ...pages.flatMap(([path, page]) =>
    [...page.matchAll(/```rag\n([^]*?)```/g)].map((found) => [path, found[1]!] as const),
  ),
  ...globSync('examples/**/*.rag').map((path) => [path, read(path)] as const),
]

test('there are examples of graphs for people', () => expect(examples.length).toBeGreaterThan(1))

test.each(examples)('an example in %s compiles without a finding and is in the one layout', (_, text) => {
  // Pages also show items without the graph around them.
  const source = /^(?:\/\/.*\n|\s)*graph /.test(text)
    ? text
    : `graph g {\n  start a\n\n  node a { next END }\n\n${text}}\n`
  if (source === text) expect(compileRag(source).diagnostics).toEqual([])
  const formatted = formatRag(source)
  expect(formatted.diagnostics).toEqual([])
  if (source === text) expect(formatted.text).toBe(source)
})

test('the page about the language shows findings as they are', () => {
  const source = 'graph hello { start sey node say { prompt "Say hello." next END } }'
  const shown = renderDiagnostics(source, compileRag(source).diagnostics, { name: 'hello.rag' })
  expect(read('docs/graph-language.md')).toContain(shown)
})

function checkHelp(sample: Sample): void {
  const { diagnostics } = compileSample(sample)
  for (const { code, line, column, help } of sample.expect ?? []) {
    if (help === undefined) continue
    const found = diagnostics.find(
      (each) => each.code === code && each.span?.line === line && each.span?.column === column,
    )
    expect(found?.help).toContain(help)
  }
}
