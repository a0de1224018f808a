import { expect, test } from 'vitest'
import { compileRag } from '../language/compile.ts'
import type { Blueprint } from './blueprint.ts'
import { diffBlueprints } from './diff.ts'
import { blueprintHash } from './hash.ts'

const graph = (source: string): Blueprint => compileRag(source).graphs[0]!

test('each difference has a line: what was added, removed and changed', () => {
  const before = graph(`graph g { start a channel x topic
    node a { prompt "One." tools ["t"] next b } node b { kind tool tool "old" next END } }`)
  const after = graph(`graph g { start a checkpoint sync channel x delta channel y topic
    node a { prompt "Two." timeout 5s } node c { kind tool tool "new\u202E" next END } a -> c }`)
  expect(diffBlueprints(before, after).text).toBe(`~ graph: + checkpoint "sync"
~ channel x: reducer "topic" → "delta"
+ channel y
+   args []
+   reducer "topic"
- node b
-   kind "tool"
-   next "END"
-   tool "old"
~ node a: - next "b"
~ node a: prompt "One." → "Two."
~ node a: + timeoutMs 5000
~ node a: - tools ["t"]
+ node c
+   kind "tool"
+   next "END"
+   tool "new\\u202e"
+ edge a
+   from "a"
+   to "c"`)
})

test('the changes are data too', () => {
  const before = graph('graph g { start a node a { prompt "One." next END } }')
  const after = graph('graph g { start a node a { prompt "Two." next END } }')
  expect(diffBlueprints(before, after).changes).toEqual([
    { change: 'changed', part: 'node', name: 'a', field: 'prompt', before: 'One.', after: 'Two.' },
  ])
})

test('where a graph comes from is no difference; another order is', () => {
  const one = graph('graph g { start a node a { next b } node b { next END } }')
  const same = graph('// elsewhere\ngraph g {\n node a { next b }\n node b { next END } start a }')
  const turned = graph('graph g { start a node b { next END } node a { next b } }')
  expect(diffBlueprints(one, same)).toEqual({ changes: [], text: '' })
  expect(blueprintHash(one)).toBe(blueprintHash(same))
  expect(diffBlueprints(one, turned).text).toBe('~ graph: order of nodes ["a","b"] → ["b","a"]')
  expect(blueprintHash(one)).not.toBe(blueprintHash(turned))
})

test('there are changes exactly when the hashes differ', () => {
  const variants = [
    'start a node a { next END }',
    'start a node a { next END } metadata { x: 1 }',
    'start a node a { next END } metadata { }',
    'start a node a { next END tools [] }',
    'start a node a { } a -> END',
    'start a node a { routes { x -> END y -> a } }',
    'start a node a { routes { y -> a x -> END } }',
    'start a node a { sends [send b] next END } node b { } join [a, b] -> END',
    'start a node a { sends [send b] next END } node b { } join [b, a] -> END',
    'start a node a { sends [send b] next END } node b { } join [a] -> END join [b] -> END',
    'start a node a { sends [send b] next END } node b { } join [b] -> END join [a] -> END',
    'start a state { x string } node a { next END }',
    'start a state { x string? } node a { next END }',
    'start a input { x string } node a { next END }',
    'start a allow tools [] node a { next END }',
    'start a node a { command { update { x: 1 } } next END }',
    'start a node a { command { update { x: "1" } } next END }',
  ].map((items) => graph(`graph g { ${items} }`))
  for (const before of variants)
    for (const after of variants) {
      const isSame = before === after
      expect(blueprintHash(before) === blueprintHash(after)).toBe(isSame)
      expect(diffBlueprints(before, after).changes.length === 0).toBe(isSame)
    }
})
