import { Agent, defineTool } from 'mandate'
import { Budget, createGate, foldOversight } from '../src/gate/index.ts'
import type { GateRequest } from '../src/gate/index.ts'
import type { Mandate } from 'mandate/gate'
import type { Model } from 'mandate/model'
import { z } from 'zod'
import { measure, measuredTable, median } from './harness.ts'
import type { Side } from './harness.ts'
import type { Section, Table } from './report.ts'
import { side as ai } from './sides/ai.ts'
import { side as own } from './sides/mandate.ts'
import { INSTRUCTIONS, TURNS } from './sides/side.ts'
import type { PeerSide } from './sides/side.ts'

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
  oversight: foldOversight([]),
}

const parts: { readonly [guard: string]: Mandate } = {
  'no guard asked for': {},
  intent: { intentRequired: true },
  'highest risk': { riskMax: 'write' },
  rate: { rates: [{ tool: 'add_one', max: 10, perMs: 1_000 }] },
  content: { content: [{ id: 'w', on: ['tool-input'], words: ['secret'], then: 'block' }] },
  overseer: { overseer: { maxCallsPerMinute: 1e9, maxTokens: 1e12 } },
  flow: { flow: [{ id: 'out', sink: 'send_*', forbid: ['untrusted:*'] }] },
  '50 rules': {
    rules: Array.from({ length: 50 }, (_, i) => ({ id: `r${i}`, when: { tool: `other_${i}` }, then: 'deny' as const })),
  },
}
const all: Mandate = Object.assign({}, ...Object.values(parts)) as Mandate
const DECISIONS = 20_000

/** Measures the time and memory that each guard adds to one decision, compared to a mandate without guards. */
async function guardByGuard(): Promise<Table> {
  const gates = Object.entries({ ...parts, 'all of them': all }).map(([name, mandate]) => {
    const one = createGate({ mandate })
    const run = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done++) {
        const decision = one.decide(request)
        if (decision instanceof Promise) await decision
      }
    }
    return { name, run }
  })
  const { sides } = await measure({ name: '', unit: '', count: DECISIONS, rounds: 7, sides: gates, by: 'cpu' })
  const bytes: number[] = []
  for (const { run } of gates) bytes.push(await allocated(run))
  return {
    title: 'One decision of the gate, guard by guard',
    note: 'Bytes are what one decision leaves to the garbage collector.',
    columns: ['µs per decision', 'ratio', 'bytes per decision'],
    rows: sides.map(({ name, microseconds, ratio }, index) => [name, microseconds, ratio, bytes[index]!]),
  }
}

/** Measures allocated bytes with few enough calls to avoid garbage collection. If one occurs, the result is negative and the median excludes it. */
async function allocated(run: (count: number) => Promise<void>): Promise<number> {
  const figures: number[] = []
  for (let round = 0; round < 9; round++) {
    const before = process.memoryUsage().heapUsed
    await run(500)
    figures.push((process.memoryUsage().heapUsed - before) / 500)
  }
  return median(figures)
}

/** The model of the other sides, which in addition declares intents. */
function declaringModel(): Model {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  const intent = { toolName: 'add', purpose: 'sum', expectedOutcome: 'a number', riskLevel: 'write' }
  return {
    id: 'mock/declaring',
    provider: 'mock',
    modelId: 'declaring',
    async *stream({ messages }) {
      const turn = messages.filter(({ role }) => role === 'tool').length
      const isCall = turn < TURNS
      yield { type: 'text-delta', text: isCall ? `<intent>${JSON.stringify(intent)}</intent>` : `done ${turn}` }
      if (isCall) yield { type: 'tool-call', toolCallId: `c${turn}`, name: 'add', input: { a: turn, b: 1 } }
      yield { type: 'usage', usage }
      yield { type: 'finish', reason: isCall ? 'tool-calls' : 'stop' }
    },
  }
}

const governed: PeerSide = {
  label: 'mandate, every guard on, 50 rules, declared intents',
  make(run) {
    const inputSchema = z.object({ a: z.number(), b: z.number() })
    const tool = defineTool({ name: 'add', description: 'add', inputSchema, risk: 'read', run })
    const rates = [{ tool: 'add', max: 1e9, perMs: 1_000 }]
    const config = { id: 'bench', instructions: INSTRUCTIONS, tools: [tool], maxTurns: 20 }
    const agent = new Agent({ ...config, model: declaringModel(), mandate: { ...all, rates } })
    return async () => (await agent.service.run('bench', 'go')).lastText
  },
  stream: () => Promise.resolve(0),
}

function steps({ label, make }: PeerSide): Side {
  const once = make(async ({ a, b }) => ({ sum: a + b }))
  const run = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += TURNS + 1) {
      const said = await once()
      if (said !== `done ${TURNS}`) throw new Error(`a wrong answer: ${said}`)
    }
  }
  return { name: label, run }
}

/** Measures the cost of the gate, separately and as part of a step. */
export async function gate(): Promise<Section> {
  const sides = [steps(ai), steps(own), steps(governed)]
  const name = 'One step with every guard on, beside the AI SDK'
  const measured = await measure({ name, unit: 'step', count: 1_100, rounds: 15, sides, by: 'cpu' })
  return {
    tables: [await guardByGuard(), measuredTable(measured)],
    goals: [],
  }
}
