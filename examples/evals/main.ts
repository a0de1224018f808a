// Evals: tasks with checks, repeated, with a success rate and its confidence interval, a baseline, and two prompts side by side.
// The same from the command line: mandate eval examples/evals/refunds.eval.json
import assert from 'node:assert/strict'
import { AgentService } from 'mandate'
import { assertEval, baselineOf, benchmark, defineEval, evaluate, listEvals, runMetrics } from 'mandate/evals'
import { scripted } from 'mandate/model'
import agent from './agent.ts'

const service = new AgentService()
const suite = defineEval({
  name: 'refunds',
  agent,
  repeat: 3,
  concurrency: 2,
  checks: ["status == 'completed'"],
  tasks: [
    { id: 'open-order', input: 'Please refund order 12.', checks: ["text.includes('refund 40')"] },
    { id: 'delivered', input: 'Please refund order 17.', checks: [({ text }) => assert.match(text, /cannot refund/)] },
  ],
})

const report = await evaluate(suite, { service })
assertEval(report)
const { rate, low, high, figures } = report.total
console.log(`success ${rate} (95 %: ${low.toFixed(2)} to ${high.toFixed(2)}), ${figures.totalTokens} tokens`)

// Later, after a change: the same suite against what it was.
const baseline = baselineOf(report)
const careless = { ...agent, model: scripted(() => 'Of course, I will refund it!') }
const later = await evaluate({ ...suite, agent: careless }, { service, baseline })
assert.equal(later.ok, false)
for (const { task, before, now } of later.comparison?.regressions ?? [])
  console.log(`${task}: was ${before}, is ${now}`)

// Two variants side by side.
const { variants } = await benchmark(
  { ...suite, variants: { today: {}, careless: { model: careless.model } } },
  { service },
)
console.table(
  variants.map(({ variant, report: { total } }) => ({
    variant,
    success: total.rate,
    steps: total.figures.steps,
    tokens: total.figures.totalTokens,
    cost: total.figures.cost,
  })),
)

// Reports are kept; the attempts were in memory.
console.log((await listEvals(service)).map(({ name, ok }) => `${name}: ${ok ? 'ok' : 'failed'}`))

// Recorded runs can be added up.
service.register(agent)
await service.run('refunds', 'Please refund order 12.')
console.log((await runMetrics(service.journal, { name: 'refunds' })).success)
await service.stop()
