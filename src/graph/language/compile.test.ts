import { expect, test } from 'vitest'
import { compileRag } from './compile.ts'

const GOOD = 'graph g {\n  start a\n  channel x topic\n  node a { }\n  a -> END\n}'

test('a blueprint knows where it and its parts come from', () => {
  const [graph] = compileRag(GOOD, { label: 'g.rag' }).graphs
  expect(graph!.provenance).toMatchObject({ origin: 'file', label: 'g.rag' })
  const { spans = {} } = graph!.provenance!
  const text = (key: string): string => GOOD.slice(spans[key]!.start, spans[key]!.end)
  expect(text('graph')).toBe(GOOD)
  expect(text('node:a')).toBe('node a { }')
  expect(text('channel:x')).toBe('channel x topic')
  expect(text('edge:a')).toBe('a -> END')
  expect(spans['node:a']).toMatchObject({ line: 4, column: 3 })
  expect(compileRag(GOOD, { origin: 'generated' }).graphs[0]!.provenance!.origin).toBe('generated')
})

test('one error anywhere means no graph at all', () => {
  expect(compileRag(`${GOOD}\ngraph h { }`).graphs).toEqual([])
  expect(compileRag(GOOD).graphs).toHaveLength(1)
})

test('an option that is not known is refused', () => {
  expect(() => compileRag(GOOD, { lable: 'x' } as never)).toThrow('Did you mean `label`?')
})

test('of very many findings the first hundred are listed', () => {
  const { diagnostics } = compileRag(`graph g { start a node a { ${'promt "x"\n'.repeat(200)} next END } }`)
  expect(diagnostics).toHaveLength(101)
  expect(diagnostics.at(-1)).toMatchObject({ severity: 'error', code: 'E-rag-too-many' })
  const exactly = compileRag(`graph g { start a node a { ${'promt "x"\n'.repeat(100)} next END } }`)
  expect(exactly.diagnostics.filter(({ code }) => code === 'E-rag-unknown-item')).toHaveLength(100)
})

test('findings point to the first of two things as well', () => {
  const [finding] = compileRag('graph g { start a\nnode a { next END }\nnode a { } }').diagnostics
  expect(finding).toMatchObject({ code: 'E-rag-duplicate-node', span: { line: 3 } })
  expect(finding!.related).toMatchObject([{ span: { line: 2, column: 6 }, label: 'first here' }])
})
