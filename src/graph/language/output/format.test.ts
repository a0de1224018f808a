import { expect, test } from 'vitest'
import { compileRag } from '../compile.ts'
import { formatRag } from './format.ts'

test('each item has its line; blocks on one line stay there while they fit', () => {
  expect(formatRag('graph g{start a,node a{kind agent,tools["x","y",]next END}}').text)
    .toBe(`graph g { start a node a { kind agent tools ["x", "y"] next END } }
`)
  expect(formatRag('graph g {\n start a node a{kind agent next END}}').text).toBe(`graph g {
  start a
  node a { kind agent next END }
}
`)
})

test('what is too wide for a line is broken', () => {
  const tools = Array.from({ length: 12 }, (_, index) => `"tool_number_${index}"`).join(' ')
  expect(formatRag(`graph g { start a node a { kind agent tools [${tools}] next END } }`).text).toContain(
    '\n    kind agent\n    tools [\n      "tool_number_0",\n      "tool_number_1",\n',
  )
})

test('colons stand after free keys and nowhere else', () => {
  expect(
    formatRag('graph g { start: a state { x: string } metadata { a 1 "b c" { d 2 } } retry: 1 }').text,
  ).toBeUndefined()
  const { text } = formatRag(
    'graph g { start: a state { x: string? } metadata { a 1 "b c" { d 2 } } defaults { model: "m" } }',
  )
  expect(text).toBe(
    'graph g { start a state { x string? } metadata { a: 1 "b c": { d: 2 } } defaults { model "m" } }\n',
  )
})

test('comments stay where they stand: above, behind and inside items, and at the ends', () => {
  const source = `// top

graph g { // open
  // above
  start a // behind
  node a {
    next // inside
      END
    // end of node
  } // behind node

  // end of graph
}

// end of file
`
  expect(formatRag(source).text).toBe(source)
  expect(formatRag(source.replaceAll(/^ +/gm, '')).text).toBe(source)
})

test('a comment before a comma or colon is not lost', () => {
  const { text } = formatRag(
    'graph g { start a allow tools ["x" // one\n, "y"] metadata { k // two\n : 1 } node a { next END } }',
  )
  expect(text).toContain('// one')
  expect(text).toContain('// two')
  expect(formatRag(text!).text).toBe(text)
})

test('single empty lines stay, others go; graphs stand apart', () => {
  expect(formatRag('\n\ngraph g {\n\n\n  start a\n\n\n\n  node a { next END }\n\n}\ngraph h {\n}\n\n\n').text)
    .toBe(`graph g {
  start a

  node a { next END }
}

graph h {
}
`)
})

test('a text block moves with its item and says the same', () => {
  const source = 'graph g {\n  start a\n  node a { prompt """\n  one\n    two\n\n  three"""\n next END } }'
  expect(formatRag(source).text).toContain(`    prompt """
      one
        two

      three
      """
    next END
`)
})

test('a return that is part of a text stays one, wherever its line ends', () => {
  for (const block of [
    '"""\r\r\none\r\n two\r\n"""',
    '"""\r\n one\r\r\n two\r\n"""',
    '"""\n one\n two\r"""',
    '"""one\rtwo"""',
    '"one\rtwo"',
  ]) {
    const source = `graph g { start a node a { prompt ${block} next END } }`
    const { text } = formatRag(source)
    expect(formatRag(text!).text).toBe(text)
    expect(promptOf(text!)).toBe(promptOf(source))
  }
})

function promptOf(source: string): string | undefined {
  return compileRag(source).graphs[0]?.nodes[0]?.prompt
}

test('a text with errors is not changed, and the errors are reported', () => {
  const { text, diagnostics } = formatRag('graph g { start }')
  expect(text).toBeUndefined()
  expect(diagnostics).toMatchObject([{ code: 'E-rag-syntax' }])
})

test('errors that are not about syntax do not stand in the way', () => {
  expect(formatRag('graph g { start nowhere }').text).toBe('graph g { start nowhere }\n')
})
