import { expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import type { ServiceOptions } from '../../agent/index.ts'
import { entriesOfType, readAll } from '../../journal/index.ts'
import { scripted } from '../../model/index.ts'
import { defineTool } from '../../tool/index.ts'
import { channel } from '../builder/channels.ts'
import { defineGraph } from '../builder/define-graph.ts'
import { compileRag } from '../language/compile.ts'
import { registerGraph } from '../runtime/register-graph.ts'
import { runGraph } from '../runtime/run-graph.ts'
import { graphRegistry } from './graph-registry.ts'

const GRAPH = `graph reports {
  start fetch
  node fetch { kind tool tool "find" writes page next tell }
  node tell { model "default" prompt "Tell: {{ state.page }}" writes text next END }
}`

const lookup = defineTool({ name: 'lookup', risk: 'read', run: () => 'a page' })

function serviceWith(options: ServiceOptions = {}): AgentService {
  const service = new AgentService({ tools: [lookup], ...options })
  const names = graphRegistry(service)
  names.registerModel('small', scripted(['Told.'], { name: 'vendor-small-1' }))
  names.alias('model', 'default', 'small')
  names.alias('tool', 'find', 'lookup')
  for (const graph of compileRag(GRAPH, { catalog: names }).graphs) registerGraph(service, graph)
  return service
}

test('aliases that a graph uses are resolved before the gate: neither the journal nor a model ever gets one', async () => {
  const service = serviceWith()
  const run = runGraph(service, 'reports')
  expect(await run.result()).toMatchObject({ text: 'Told.' })
  const entries = await readAll(service.journal, run.runId)
  const called = entriesOfType(entries, 'effect-start').map(({ data }) => `${data.kind}:${data.name}`)
  expect(called).toEqual(['tool:lookup', 'model:scripted/vendor-small-1'])
})

test('a mandate that denies a tool denies it under its aliases', async () => {
  const service = serviceWith({ mandate: { deny: ['lookup'] } })
  const outcome = await runGraph(service, 'reports').outcome
  expect(outcome).toMatchObject({ state: 'failed', error: { code: 'DENIED' } })
})

test('aliases hold in the conversation of a model with its tools, and in the functions of nodes', async () => {
  const called: string[] = []
  const look = defineTool({ name: 'lookup', risk: 'read', run: () => (called.push('lookup'), 'a page') })
  const service = new AgentService({ tools: [look] })
  const names = graphRegistry(service)
  names.registerModel('small', scripted([{ toolCalls: [{ name: 'lookup', input: {} }] }, 'Told.']))
  names.alias('tool', 'find', 'lookup')
  const talk = `graph talk {
    start ask
    channel messages messages
    node ask { kind agent model "small" prompt "Look." tools ["find"] routes { tool_call -> act final -> END } }
    node act { kind tool_executor tools ["find"] next ask }
  }`
  for (const graph of compileRag(talk, { catalog: names }).graphs) registerGraph(service, graph)
  expect((await runGraph(service, 'talk').outcome).state).toBe('completed')
  const code = defineGraph({ name: 'code', state: { page: channel.last<string>() } })
    .node('look', async (_, context) => ({ page: (await context.tool('find')) as string }))
    .start('look')
  expect(await runGraph(service, code, {}).result()).toMatchObject({ page: 'a page' })
  expect(called).toEqual(['lookup', 'lookup'])
})
