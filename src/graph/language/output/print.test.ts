import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../core/index.ts'
import type { Blueprint } from '../../blueprint/blueprint.ts'
import { blueprintHash } from '../../blueprint/hash.ts'
import { compileRag } from '../compile.ts'
import { printRag } from './print.ts'

const GRAPH: Blueprint = {
  blueprint: 1,
  name: 'g',
  start: 'a',
  nodes: [{ name: 'a', kind: 'model', next: 'END' }],
  channels: [],
  edges: [],
  joins: [],
}

test('any JSON in metadata, inputs and updates comes back as it was', () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((json) => JSON.parse(JSON.stringify(json)) as Json)
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), value, (metadata, json) => {
      const graph: Blueprint = {
        ...GRAPH,
        metadata,
        nodes: [
          {
            ...GRAPH.nodes[0]!,
            sends: [{ to: 'b', input: json }],
            command: { update: [{ channel: 'x', value: json }] },
          },
          // Two braces would begin an expression in a prompt.
          { name: 'b', kind: 'model', prompt: JSON.stringify(json).replaceAll('{{', '{'), next: 'END' },
        ],
      }
      const again = compileRag(printRag(graph))
      expect(again.diagnostics).toEqual([])
      expect(again.graphs.map(blueprintHash)).toEqual([blueprintHash(graph)])
    }),
  )
})

test('a graph is printed with an item on each line', () => {
  expect(printRag({ ...GRAPH, allow: { tool: [] }, joins: [{ sources: ['a'], to: 'END' }] })).toBe(`graph g {
  start a
  allow tools []

  node a {
    kind model
    next END
  }

  join [a] -> END
}
`)
})

test('an invalid name is refused, because it would change the meaning of the text', () => {
  expect(() => printRag({ ...GRAPH, name: 'my graph' })).toThrow('cannot be written as .rag')
  expect(() => printRag({ ...GRAPH, start: 'a node b { next END }' })).toThrow('cannot be written as .rag')
})
