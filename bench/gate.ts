import { Budget, Oversight, createGate } from '../src/gate/index.ts'
import type { GateRequest, Mandate } from '../src/gate/index.ts'
import { measure } from './harness.ts'

// What each guard adds to one decision, beside a mandate that asks for none of them. Run it with `node bench/gate.ts`.

const request: GateRequest = {
  effect: {
    kind: 'tool',
    name: 'add_one',
    input: { n: 1 },
    intent: { toolName: 'add_one', purpose: 'count', expectedOutcome: 'one more', riskLevel: 'read' },
  },
  facts: { known: true, risk: 'read', worst: { toolCalls: 1 }, validate: (value) => ({ ok: true, value }) },
  identity: { id: 'ana', roles: ['owner'] },
  budget: new Budget(),
  depth: 0,
  toolCalls: 0,
  now: 1,
  runId: 'r',
  counts: { sum: () => 0 },
  oversight: new Oversight(),
}

const parts: { readonly [guard: string]: Mandate } = {
  'no guard asked for': {},
  intent: { intentRequired: true },
  'highest risk': { riskMax: 'write' },
  rate: { rates: [{ tool: 'add_one', max: 10, perMs: 1_000 }] },
  content: { content: [{ id: 'w', on: ['tool-input'], words: ['secret'], then: 'block' }] },
  overseer: { overseer: {} },
  '50 rules': {
    rules: Array.from({ length: 50 }, (_, i) => ({ id: `r${i}`, when: { tool: `other_${i}` }, then: 'deny' as const })),
  },
}
const all: Mandate = Object.assign({}, ...Object.values(parts)) as Mandate

const { sides } = await measure({
  name: 'One decision, guard by guard',
  unit: 'decision',
  count: 20_000,
  rounds: 7,
  sides: Object.entries({ ...parts, 'all of them': all }).map(([name, mandate]) => {
    const gate = createGate({ mandate })
    return {
      name,
      run: async (count: number): Promise<void> => {
        for (let i = 0; i < count; i++) await gate.decide(request)
      },
    }
  }),
})
for (const { name, microseconds, ratio } of sides)
  console.log(`${name.padEnd(20)} ${microseconds.toFixed(2)} µs  ${ratio.toFixed(2)}`)
