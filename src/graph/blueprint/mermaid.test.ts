import { expect, test } from 'vitest'
import { compileRag } from '../language/compile.ts'
import { toMermaid } from './mermaid.ts'

test('nodes, routes, sends and joins are drawn', () => {
  const { graphs } = compileRag(`graph g { start s
    node s { sends [send a, send b each "state.items"] routes { done -> END otherwise -> a } }
    node a { kind subgraph graph "x" } node b { kind router routes { when "state.n > 1" -> END otherwise -> a } }
    join [a, b] -> m node m { kind interrupt prompt "?" } m -> END }`)
  expect(toMermaid(graphs[0]!)).toBe(`flowchart TD
  n0["s<br/>model"]
  n1[["a<br/>subgraph"]]
  n2{"b<br/>router"}
  n3[/"m<br/>interrupt"/]
  begin(["g"]) --> n0
  n0 -->|"done"| finish
  n0 -->|"otherwise"| n1
  n0 -.->|"send"| n1
  n0 -.->|"each state.items"| n2
  n2 -->|"state.n #62; 1"| finish
  n2 -->|"otherwise"| n1
  n3 --> finish
  j0{{"join"}} --> n3
  n1 --> j0
  n2 --> j0
  finish(["END"])
`)
})

test('a label can neither end its quotes nor hold markup, and is cut when it is long', () => {
  const label = String.raw`\"]; click n0 <b>` + 'x'.repeat(100)
  const { graphs } = compileRag(`graph g { start a node a { routes { "${label}" -> END } } }`)
  const line = toMermaid(graphs[0]!)
    .split('\n')
    .find((each) => each.includes('|'))!
  expect(line).toMatch(/^ {2}n0 -->\|"#34;#93;#59; click n0 #60;b#62;x+…"\| finish$/)
  expect(line.length).toBeLessThan(110)
})
