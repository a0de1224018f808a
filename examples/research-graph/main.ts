// A graph with a fan-out, a join and an approval, once from `.rag` text and once from TypeScript.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentService } from 'mandate'
import { compileRag, graphRegistry, registerGraph, renderDiagnostics, resumeGraph, runGraph } from 'mandate/graph'
import { research } from './graph.ts'
import { host, published } from './host.ts'

const service = host()
const source = readFileSync(join(import.meta.dirname, 'research.rag'), 'utf8')
const { graphs, diagnostics } = compileRag(source, { label: 'research.rag', catalog: graphRegistry(service) })
if (graphs.length === 0) throw new Error(renderDiagnostics(source, diagnostics))

for (const graph of graphs) registerGraph(service, graph)
registerGraph(service, research)

/** Runs a graph until it asks, answers as a person would, and lets it go on. */
async function publish(name: string): Promise<void> {
  const first = runGraph(service, name, { question: 'Do solar panels pay off?' })
  for await (const { mode, ...event } of first.stream({ mode: ['updates', 'interrupts'] }))
    console.log(mode, 'node' in event ? event.node : '')
  await answer(service, first.runId)
  const output = await resumeGraph(service, first.runId).result()
  console.log(name, output)
}

async function answer(asking: AgentService, run: string): Promise<void> {
  const [question] = await asking.approvals(run)
  await asking.answer(question!.id, 'publish')
}

await publish('research')
await publish('research_in_code')
console.log(published)
if (published.length !== 2 || published[0] !== published[1]) throw new Error('The two graphs do not do the same.')
await service.stop()
