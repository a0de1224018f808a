import { expect, test } from 'vitest'
import { ERROR_DIAGNOSTICS, WARNING_DIAGNOSTICS } from '../../src/graph/blueprint/codes.ts'
import { compileRag, formatRag, renderDiagnostics } from '../../src/graph/index.ts'
import { readRotation } from '../rotation.ts'
import { fuzz } from './fuzz.ts'

test('whatever a text says, it is compiled or refused with places; what compiles survives printing and formatting', () => {
  const met = fuzz(readRotation(), 300)
  expect(met.compiled).toBeGreaterThan(30)
  expect(met.formatted).toBeGreaterThan(50)
  expect(met.codes.size).toBeGreaterThan((ERROR_DIAGNOSTICS.length + WARNING_DIAGNOSTICS.length) / 3)
})

const LONG = 150_000

test.each([
  ['braces', '{'.repeat(LONG)],
  ['closing braces', '}'.repeat(LONG)],
  ['brackets', `graph g { metadata { a ${'['.repeat(LONG)}`],
  ['quotes', '"'.repeat(LONG)],
  ['quotes in threes', '"""'.repeat(LONG / 3)],
  ['backslashes', `graph g { description "${'\\'.repeat(LONG)}`],
  ['a long name', `graph ${'a'.repeat(LONG)} { }`],
  ['a long unknown target', `graph g { start ${'b'.repeat(LONG)} node a { next END } }`],
  ['comments', '// x\n'.repeat(LONG / 5)],
  ['a long line', `graph g { start a node a { ${'promt "x" '.repeat(LONG / 10)} } }`],
  ['unknown items', 'graph g {\n'.padEnd(LONG, 'zz "x"\n')],
  ['graphs that open', 'graph g { '.repeat(LONG / 10)],
  ['nodes that open', `graph g { ${'node n { '.repeat(LONG / 9)}`],
  ['unknown nodes', `graph g { start a node a { } ${'x -> y\n'.repeat(LONG / 7)} }`],
  ['nodes of one name', `graph g { start a ${'node a { next b }\n'.repeat(LONG / 18)} }`],
  ['a chain of nodes', chain(4000)],
  ['a fan of joins', joins(700)],
  ['a join of many', `graph g { start a node a { } join [${names(20_000).join(' ')}] -> a }`],
  ['a question with many answers', answers(7000)],
  [
    'a fan of sends',
    `graph g { start a node a { sends [${names(9000)
      .map((name) => `send ${name}`)
      .join(' ')}] } }`,
  ],
  [
    'nodes that lead to one',
    `graph g { start n0 ${names(6000)
      .map((name) => `node ${name} { next n1 }`)
      .join(' ')} }`,
  ],
  ['deep conditions', `graph g { start a node a { routes { when "${'('.repeat(15_000)}" -> END } } }`],
  ['minus signs', '-'.repeat(LONG)],
  ['slashes and stars', '/*'.repeat(LONG / 2)],
  ['single quotes', "'".repeat(LONG)],
  ['too large', 'x'.repeat(600_000)],
])('%s by the hundred thousand take neither the stack nor the day', (_, source) => {
  const start = performance.now()
  const { diagnostics } = compileRag(source)
  renderDiagnostics(source, diagnostics)
  formatRag(source)
  expect(diagnostics.length).toBeLessThanOrEqual(101)
  expect(performance.now() - start).toBeLessThan(10_000)
})

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `n${index}`)
}

function answers(count: number): string {
  const texts = names(count)
  return `graph g { start a node a { kind interrupt prompt "?" options [${texts.map((text) => `"${text}"`).join(' ')}]
    routes { ${texts.map((text) => `${text}x -> END`).join(' ')} } } }`
}

function chain(length: number): string {
  const nodes = Array.from({ length }, (_, i) => `node n${i} { next ${i + 1 < length ? `n${i + 1}` : 'END'} }`)
  return `graph g { start n0\n${nodes.join('\n')}\n}`
}

function joins(width: number): string {
  const sources = names(width)
  return `graph g { start s node s { sends [${sources.map((name) => `send ${name}`).join(', ')}] }
    ${sources.map((name) => `node ${name} { }`).join('\n')} ${`join [${sources.join(', ')}] -> END\n`.repeat(10)} }`
}
