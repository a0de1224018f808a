import { expect, test } from 'vitest'
import { AgentService } from '../../agent/index.ts'
import type { Json } from '../../core/index.ts'
import { scripted } from '../../model/index.ts'
import { kernelOf } from '../../run/index.ts'
import { defineTool } from '../../tool/index.ts'
import type { Blueprint, NodeBlueprint } from '../blueprint/blueprint.ts'
import { graphRegistry } from '../registry/graph-registry.ts'
import { inspectGraph } from './inspect-graph.ts'

const read = defineTool({ name: 'read_page', risk: 'read', run: () => 'text' })
const send = defineTool({ name: 'send_mail', risk: 'write', needsApproval: true, run: () => 'sent' })
const wipe = defineTool({ name: 'wipe', risk: 'destructive', run: () => 'gone' })
const unknown = defineTool({ name: 'thing', run: () => 'done' })

function graph(name: string, nodes: readonly NodeBlueprint[], more: Partial<Blueprint> = {}): Blueprint {
  return { blueprint: 1, name, start: nodes[0]!.name, nodes, channels: [], edges: [], joins: [], ...more }
}

function service(): AgentService {
  const model = scripted(['Done.'])
  return new AgentService({
    tools: [read, unknown],
    agents: [
      { id: 'clerk', model, tools: [wipe] },
      { id: 'lead', model, tools: [send], agents: ['clerk'] },
    ],
  })
}

/** Registers a graph as far as its name and blueprint go. */
function put(host: AgentService, blueprint: Blueprint): void {
  const pins = (): Json => ({ blueprint }) as unknown as Json
  const mind = { kind: 'graph', name: blueprint.name, pins, start: async () => null } as const
  kernelOf(host).registry.registerMind(mind)
}

test('a graph reaches what its nodes name, aliases resolved', () => {
  const host = service()
  const names = graphRegistry(host)
  names.registerModel('small', scripted(['Hello.']))
  names.alias('model', 'default', 'small')
  names.alias('tool', 'fetch', 'read_page')
  names.registerRouter('pick', () => 'a')
  names.registerReducer('highest', () => 1)
  const nodes: NodeBlueprint[] = [
    { name: 'ask', kind: 'model' },
    { name: 'look', kind: 'tool', tool: 'fetch', pause: 'before' },
    { name: 'route', kind: 'router', router: 'pick' },
  ]
  const channels = [
    { name: 'score', reducer: 'highest', args: [] },
    { name: 'notes', reducer: 'topic', args: [] },
  ]
  expect(inspectGraph(host, graph('g', nodes, { channels, defaults: { model: 'default' } }))).toEqual({
    effects: ['model', 'question', 'tool'],
    models: ['small'],
    tools: [{ name: 'read_page', risk: 'read', asks: false }],
    agents: [],
    graphs: [],
    programs: [],
    routers: ['pick'],
    reducers: ['highest'],
    sinks: [],
    risk: 'read',
    missing: [],
  })
})

test('a graph reaches what is below it: sub-graphs, agents, and the agents of agents', () => {
  const host = service()
  put(host, graph('inner', [{ name: 'lead', kind: 'subagent', agent: 'lead' }]))
  put(host, graph('middle', [{ name: 'down', kind: 'subgraph', graph: 'inner' }]))
  const reach = inspectGraph(host, graph('outer', [{ name: 'down', kind: 'subgraph', graph: 'middle' }]))
  expect(reach).toMatchObject({
    effects: ['agent', 'graph', 'model', 'tool'],
    graphs: ['inner', 'middle'],
    agents: ['clerk', 'lead'],
    sinks: ['send_mail', 'wipe'],
    risk: 'destructive',
  })
  expect(reach.tools).toContainEqual({ name: 'send_mail', risk: 'write', asks: true })
})

test('a graph that contains itself, also over another, is walked once', () => {
  const host = service()
  const one = graph('one', [{ name: 'down', kind: 'subgraph', graph: 'two' }])
  put(host, one)
  put(host, graph('two', [{ name: 'up', kind: 'subgraph', graph: 'one' }]))
  expect(inspectGraph(host, one).graphs).toEqual(['one', 'two'])
})

test('an executor that names no tools reaches those that other nodes name, a program every tool there is', () => {
  const host = service()
  const talk: NodeBlueprint[] = [
    { name: 'ask', kind: 'agent', tools: ['read_page'] },
    { name: 'act', kind: 'tool_executor' },
  ]
  expect(inspectGraph(host, graph('g', talk)).tools.map(({ name }) => name)).toEqual(['read_page'])
  kernelOf(host).registry.registerMind({ kind: 'program', name: 'script', start: async () => null })
  const program = inspectGraph(host, graph('p', [{ name: 'run', kind: 'program', script: 'script' }]))
  expect(program).toMatchObject({ effects: ['program', 'tool'], programs: ['script'], sinks: ['thing'] })
})

test('risks are those that the gate goes by: what nobody declared, and the word of the host', () => {
  const nodes: NodeBlueprint[] = [{ name: 'a', kind: 'tool_executor', tools: ['thing', 'read_page'] }]
  expect(inspectGraph(service(), graph('g', nodes))).toMatchObject({ risk: 'exec', sinks: ['thing'] })
  const strict = new AgentService({ tools: [read, unknown], mandate: { risks: { read_page: 'destructive' } } })
  expect(inspectGraph(strict, graph('g', nodes))).toMatchObject({ risk: 'destructive', sinks: ['read_page', 'thing'] })
})

test('what is not registered is named', () => {
  const nodes: NodeBlueprint[] = [
    { name: 'a', kind: 'model', model: 'none', tools: ['nothing'] },
    { name: 'b', kind: 'subagent', agent: 'nobody' },
  ]
  expect(inspectGraph(service(), graph('g', nodes)).missing).toEqual(['agent:nobody', 'model:none', 'tool:nothing'])
})
