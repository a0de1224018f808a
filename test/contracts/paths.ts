import { AgentService, kernelOf, planSteps } from '../../src/agent/index.ts'
import type { AgentConfig } from '../../src/agent/index.ts'
import type { Mandate } from '../../src/gate/index.ts'
import { ReplSession } from '../../src/repl/index.ts'
import { channel, defineGraph, nodes, runGraph } from '../../src/graph/index.ts'
import type { Journal, MindKind } from '../../src/journal/index.ts'
import type { RunContext } from '../../src/run/index.ts'
import { offersOf } from '../../src/server/mcp/offer.ts'
import type { Tool } from '../../src/tool/index.ts'
import { registerProgram, script } from '../../src/vm/index.ts'
import { broken, model } from './gate-bench.ts'

/** Where a path tries to reach the target from. */
export interface Attempt {
  readonly journal: Journal
  /** Of the host: it holds over every run, whoever runs it. */
  readonly mandate: Mandate
  readonly tool: Tool
}

export type Path = (attempt: Attempt) => Promise<unknown>

const input = { disk: 'a' }
const call = { toolCalls: [{ name: 'wipe', input }] }
const effect = { kind: 'tool' as const, name: 'wipe', input }

/** Host and agents are under the same mandate: what an agent's own says holds as well. */
function service({ journal, mandate, tool }: Attempt, ...agents: readonly AgentConfig[]): AgentService {
  return new AgentService({ journal, mandate, tools: [tool], agents: agents.map((agent) => ({ ...agent, mandate })) })
}

const asAgent =
  (config: (tool: Tool) => AgentConfig): Path =>
  (attempt) =>
    service(attempt, { id: 'main', tools: [attempt.tool], ...config(attempt.tool) }).run('main', 'Go.')

/** A mind of one's own, of any kind. */
const asMind =
  (kind: MindKind, start: (context: RunContext) => Promise<unknown>): Path =>
  async (attempt) => {
    const host = service(attempt)
    kernelOf(host).registry.registerMind({
      kind,
      name: 'own',
      start: async (_, context) => {
        await start(context)
        return null
      },
    })
    return kernelOf(host).run({ kind, name: 'own', input: null })
  }

/** Every way to a tool that is open to a model, to the host's strategies, to programs and to minds. Named by origin where they have one. */
export const TOOL_PATHS: { readonly [path: string]: Path } = {
  model: asAgent(() => ({ model: model('m', call, 'Done.') })),
  planner: asAgent(() => ({ planner: planSteps({ type: 'tool', toolId: 'wipe', input }, { type: 'finish' }) })),
  "planner's own perform": asAgent(() => ({
    planner: {
      plan: async (state) => {
        await state.perform(effect)
        return { type: 'finish' as const }
      },
    },
  })),
  fallback: asAgent((tool) => ({
    model: model('m', { toolCalls: [{ name: 'broken', input: {} }], text: intentFor('broken') }, 'Done.'),
    fallbackProvider: model('f', JSON.stringify({ toolName: 'wipe', input }), JSON.stringify({ toolName: null })),
    tools: [tool, broken],
  })),
  executor: asAgent(() => ({
    model: model('m', call, 'Done.'),
    executor: { execute: async (_step, context) => (await context.perform(effect)).status },
  })),
  reflector: asAgent(() => ({
    model: model('m', 'Done.'),
    reflector: {
      reflect: async (state) => {
        await state.perform(effect)
        return { done: true }
      },
    },
  })),
  runner: asAgent(() => ({ runner: { run: async (context) => ({ text: (await context.perform(effect)).status }) } })),
  'sub-agent': (attempt) =>
    service(
      attempt,
      {
        id: 'main',
        model: model(
          'm',
          { toolCalls: [{ name: 'helper', input: { prompt: 'wipe it' } }], text: intentFor('helper') },
          'Done.',
        ),
        agents: ['helper'],
      },
      { id: 'helper', model: model('h', call, 'Done.'), tools: [attempt.tool] },
    ).run('main', 'Go.'),
  program: async (attempt) => {
    const host = service(attempt)
    const name = await registerProgram(host, script('tools.wipe({ disk: "a" })'), { name: 'p' })
    return kernelOf(host).run({ kind: 'program', name, input: {} })
  },
  cell: async (attempt) => {
    const session = await ReplSession.open(service(attempt))
    return session.evalCell('await tools.wipe({ disk: "a" })')
  },
  'code mode': asAgent(() => ({
    model: model('m', '```js\nawait tools.wipe({ disk: "a" })\n```', 'Done.', 'Done.'),
    mode: 'code',
  })),
  graph: async (attempt) => {
    const host = service(attempt)
    const graph = defineGraph({ name: 'g', state: { disk: channel.last<string>(), done: channel.last() } })
      .node('wipe', nodes.tool('wipe', { writes: 'done' }))
      .start('wipe')
    return runGraph(host, graph, input).outcome
  },
  'function of a graph': async (attempt) => {
    const host = service(attempt)
    const graph = defineGraph({ name: 'g', state: { done: channel.last() } })
      .node('wipe', async (_, context) => ({ done: (await context.tool('wipe', input)) as null }))
      .start('wipe')
    return runGraph(host, graph, {}).outcome
  },
  // A tool that an MCP server of ours offers by itself; it says in its client's place what the call is meant for.
  mcp: async (attempt) => {
    const host = service(attempt)
    const [offer] = (await offersOf({ service: host, tools: ['wipe'] })).values()
    const begin = {
      runId: 'offered',
      identity: { id: 'local', roles: ['owner'] },
      signal: new AbortController().signal,
    }
    return offer!.start(input, begin)
  },
  'mind of kind agent': asMind('agent', (context) => context.perform(effect)),
  'mind of kind program': asMind('program', (context) => context.perform(effect)),
  'mind of kind cell': asMind('cell', (context) => context.perform(effect)),
  'mind of kind graph': asMind('graph', (context) => context.perform(effect)),
  'strand of a mind': asMind('program', (context) => context.task('side', (strand) => strand.perform(effect))),
  'strategy of a mind': asMind('program', (context) =>
    context.record('own', async (strand) => (await strand.perform(effect)).status),
  ),
  'mind that poses as another': asMind('program', (context) => context.perform({ ...effect, origin: 'overseer' })),
}

/** Handing over is a call as well, and where intents are asked for it needs one; the target's own is what the test is about. */
function intentFor(toolName: string): string {
  return `<intent>${JSON.stringify({ toolName, purpose: 'p', expectedOutcome: 'o', riskLevel: 'read' })}</intent>`
}
