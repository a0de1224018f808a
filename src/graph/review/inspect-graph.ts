import { explainRisk } from '../../gate/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Kernel, Mind, Registry } from '../../run/index.ts'
import { RISKS } from '../../tool/index.ts'
import type { Risk, Tool } from '../../tool/index.ts'
import type { Blueprint, CatalogKind, NodeBlueprint } from '../blueprint/blueprint.ts'
import { CHANNEL_KINDS } from '../blueprint/blueprint.ts'
import { graphRegistry } from '../registry/graph-registry.ts'
import type { GraphRegistry } from '../registry/graph-registry.ts'

/** The maximum reach of a graph, including subgraphs, and agents with their own tools, models and agents. */
export type GraphReach = {
  /** The kinds of effects: `agent`, `graph`, `model`, `program`, `question`, `tool`. */
  readonly effects: readonly string[]
  readonly models: readonly string[]
  /** `asks` if the tool itself requires approval. */
  readonly tools: readonly { readonly name: string; readonly risk: Risk; readonly asks: boolean }[]
  readonly agents: readonly string[]
  readonly graphs: readonly string[]
  readonly programs: readonly string[]
  readonly routers: readonly string[]
  readonly reducers: readonly string[]
  /** Tools that change or send something: those with a risk above `read`. */
  readonly sinks: readonly string[]
  /** The highest risk of a reachable tool. */
  readonly risk: Risk
  /** References that are not registered, such as `tool:refund`. */
  readonly missing: readonly string[]
}

/**
 * The reach of a graph on this service: models, tools with their risks, agents and subgraphs, recursively.
 *
 * @example
 * ```ts
 * import { AgentService, defineTool } from 'mandate'
 * import { inspectGraph } from 'mandate/graph'
 * const refund = defineTool({ name: 'refund', risk: 'write', run: () => 'refunded' })
 * const reach = inspectGraph(new AgentService({ tools: [refund] }), {
 *   blueprint: 1, name: 'refunds', start: 'pay', channels: [], edges: [], joins: [],
 *   nodes: [{ name: 'pay', kind: 'tool', tool: 'refund' }],
 * })
 * console.log(reach.risk, reach.sinks) // write [ 'refund' ]
 * ```
 */
export function inspectGraph(service: object, blueprint: Blueprint): GraphReach {
  const survey = new Survey(kernelOf(service), graphRegistry(service))
  survey.graph(blueprint)
  return survey.reach()
}

class Survey {
  readonly #kernel: Kernel
  readonly #registry: Registry
  readonly #names: GraphRegistry
  readonly #effects = new Set<string>()
  readonly #found = new Map<CatalogKind, Set<string>>()
  readonly #missing = new Set<string>()
  readonly #tools = new Map<string, Tool>()
  readonly #seen = new Set<unknown>()

  constructor(kernel: Kernel, names: GraphRegistry) {
    this.#kernel = kernel
    this.#registry = kernel.registry
    this.#names = names
  }

  graph(blueprint: Blueprint): void {
    if (this.#seen.has(blueprint)) return
    this.#seen.add(blueprint)
    for (const { reducer } of blueprint.channels)
      if (!(CHANNEL_KINDS as readonly string[]).includes(reducer)) this.#note('reducer', reducer)
    for (const node of blueprint.nodes) this.#node(node, blueprint)
  }

  #node(node: NodeBlueprint, { defaults }: Blueprint): void {
    const { kind, router, tool, tools = [], agent, graph, script } = node
    const model = node.model ?? (kind === 'model' || kind === 'agent' ? defaults?.model : undefined)
    if (model !== undefined && this.#note('model', model) !== undefined) this.#effects.add('model')
    if (router !== undefined) this.#note('router', router)
    if (kind === 'interrupt' || node.pause !== undefined) this.#effects.add('question')
    if (graph !== undefined) this.#subgraph(graph)
    if (agent !== undefined) this.#agent(agent)
    if (script !== undefined) this.#program(script)
    // A `tools` node without a list performs the calls of tools that other nodes name.
    for (const name of [...(tool === undefined ? [] : [tool]), ...tools]) this.#tool(name)
  }

  #tool(name: string): void {
    const found = this.#note('tool', name)
    if (found !== undefined) this.#addTools([this.#registry.tools.get(found)!])
  }

  #addTools(tools: Iterable<Tool>): void {
    for (const tool of tools) {
      this.#effects.add('tool')
      this.#tools.set(tool.name, tool)
    }
  }

  #subgraph(name: string): void {
    const found = this.#note('graph', name)
    if (found === undefined) return
    this.#effects.add('graph')
    this.#own(this.#registry.mind('graph', found)!)
    const blueprint = this.#names.blueprint(found)
    if (blueprint !== undefined) this.graph(blueprint)
  }

  #agent(name: string): void {
    const found = this.#note('agent', name)
    const mind = found === undefined ? undefined : this.#registry.mind('agent', found)
    if (mind === undefined || this.#seen.has(mind)) return
    this.#seen.add(mind)
    this.#effects.add('agent')
    this.#own(mind)
    const { agents = [] } = (mind.pins?.() ?? {}) as { readonly agents?: readonly { readonly name: string }[] }
    for (const below of agents) this.#agent(below.name)
  }

  /** A program can name every tool of the service. */
  #program(name: string): void {
    const found = this.#note('program', name)
    const mind = found === undefined ? undefined : this.#registry.mind('program', found)
    if (mind === undefined) return
    this.#effects.add('program')
    this.#own(mind)
    this.#addTools(this.#registry.tools.values())
  }

  #own({ resources }: Mind): void {
    this.#addTools(resources?.tools?.values() ?? [])
    for (const model of resources?.models?.keys() ?? []) {
      this.#effects.add('model')
      this.#of('model').add(model)
    }
  }

  /** Adds a name, and returns the registered name behind it. */
  #note(kind: CatalogKind, name: string): string | undefined {
    const found = this.#names.find(kind, name)
    if (found === undefined) this.#missing.add(`${kind}:${name}`)
    else this.#of(kind).add(found)
    return found
  }

  #of(kind: CatalogKind): Set<string> {
    const names = this.#found.get(kind) ?? new Set<string>()
    this.#found.set(kind, names)
    return names
  }

  /** The risk of a call with unknown input, as the gate judges it. */
  #riskOf({ name, risk, isForeign, description }: Tool): Risk {
    const facts = { known: true, worst: {}, risk, isForeign, description }
    return explainRisk({ kind: 'tool', name, input: {} }, facts, this.#kernel.mandate ?? {}).risk
  }

  reach(): GraphReach {
    const sorted = (names: Iterable<string>): readonly string[] => [...names].toSorted()
    const tools = [...this.#tools.values()]
      .map((tool) => ({ name: tool.name, risk: this.#riskOf(tool), asks: (tool.needsApproval ?? false) !== false }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return {
      effects: sorted(this.#effects),
      models: sorted(this.#of('model')),
      tools,
      agents: sorted(this.#of('agent')),
      graphs: sorted(this.#of('graph')),
      programs: sorted(this.#of('program')),
      routers: sorted(this.#of('router')),
      reducers: sorted(this.#of('reducer')),
      sinks: tools.flatMap(({ name, risk }) => (risk === 'read' ? [] : [name])),
      risk: RISKS.findLast((risk) => tools.some((tool) => tool.risk === risk)) ?? 'read',
      missing: sorted(this.#missing),
    }
  }
}
