import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { AgentService } from 'mandate'
import { compileRag, graphRegistry, registerGraph, resumeGraph, runGraph } from 'mandate/graph'
import config, { setup } from '../mandate.config.ts'
import { published } from './publish.ts'

/** Runs the graph until it asks, gives the answer, and runs it on. */
async function review(answer: string): Promise<{ asked: string; result: unknown }> {
  const service = new AgentService(config)
  setup(service)
  const source = readFileSync(new URL('../flow.rag', import.meta.url), 'utf8')
  const { graphs, diagnostics } = compileRag(source, { label: 'flow.rag', catalog: graphRegistry(service) })
  assert.deepEqual(diagnostics, [])
  for (const graph of graphs) registerGraph(service, graph)
  try {
    const run = runGraph(service, 'announce', { topic: 'tea' })
    await run.outcome
    const [question] = await service.approvals()
    await service.answer(question!.id, answer)
    return { asked: question!.text, result: await resumeGraph(service, run.runId).result() }
  } finally {
    await service.stop()
  }
}

test('a draft is published once a person has agreed', async () => {
  published.length = 0
  const { asked } = await review('publish')
  assert.match(asked, /Publish this\?/)
  assert.equal(published.length, 1)
})

test('a draft that is dropped is not published', async () => {
  published.length = 0
  await review('drop')
  assert.equal(published.length, 0)
})
