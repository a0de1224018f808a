import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import { kernelOf } from '../../run/index.ts'
import type { Registry } from '../../run/index.ts'
import type { Blueprint } from '../blueprint/blueprint.ts'
import type { Graph } from '../builder/graph.ts'
import { graphRegistry } from '../registry/graph-registry.ts'
import type { GraphReducer, GraphRegistry } from '../registry/graph-registry.ts'
import type { GraphFunctions, Router } from './compiled-graph.ts'
import { blueprintHash } from '../blueprint/hash.ts'
import { requireBlueprint } from '../blueprint/read.ts'
import { graphMind } from './graph-mind.ts'
import type { GraphParts } from './graph-mind.ts'
import { registeredGraph } from './nodes/registered-graphs.ts'

interface RegisterGraphOptions {
  /** Applies besides the mandates of the host and of every parent. */
  readonly mandate?: Mandate | undefined
  /** Replaces another graph of the same name. Runs that started with that one continue with it, as far as it is data. */
  readonly override?: boolean | undefined
}

const OPTIONS: FieldNames<RegisterGraphOptions> = { mandate: 'object', override: 'flag' }

/**
 * Registers a graph with a service, so that runs of it can be started, resumed and called by others. The same graph may be registered again. Returns
 * its name.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { channel, defineGraph, registerGraph, runGraph } from 'mandate/graph'
 * const service = new AgentService()
 * const graph = defineGraph({ name: 'hello', state: { text: channel.last<string>() } })
 *   .node('greet', () => ({ text: 'Hello.' }))
 *   .start('greet')
 * const name = registerGraph(service, graph)
 * const outcome = await runGraph(service, name).outcome
 * ```
 */
export function registerGraph(host: object, source: Graph | Blueprint, options: RegisterGraphOptions = {}): string {
  checkFields(options, 'an option of `registerGraph`', OPTIONS)
  const given = (isGraph(source) ? source.blueprint : source) as Blueprint | undefined
  if (given?.provenance?.origin === 'generated')
    throw new MandateError(
      'APPROVAL_REFUSED',
      `The graph "${given.name}" was generated, so it needs a review before it is registered. Request one with \`graphReviews(service).request(blueprint)\`, and register it there with the token.`,
    )
  return putGraph(host, source, options)
}

/** Registers a graph without the check for a review: one that was not generated, or that was reviewed. */
export function putGraph(host: object, source: Graph | Blueprint, options: RegisterGraphOptions = {}): string {
  const { registry } = kernelOf(host)
  const names = graphRegistry(host)
  const parts = partsOf(source, names, options.mandate)
  const { name } = parts.blueprint
  checkFree(registry, parts.blueprint, options.override === true)
  for (const graph of isGraph(source) ? source.parts.graphs : []) registerGraph(host, graph)
  registry.registerMind(graphMind(parts, registry, names), { override: true })
  return name
}

/** Whether it was built in TypeScript. JSON never is, whatever fields it has: it is checked as a blueprint. */
function isGraph(source: Graph | Blueprint): source is Graph {
  const { parts } = (source ?? {}) as Partial<Graph>
  return parts?.nodes instanceof Map
}

function checkFree(registry: Registry, blueprint: Blueprint, override: boolean): void {
  const { name } = blueprint
  if (override || registry.mind('graph', name) === undefined) return
  const known = registeredGraph(registry, name)
  if (known?.hash === blueprintHash(blueprint)) return
  throw new MandateError(
    'DUPLICATE',
    `Another graph is registered as "${name}". Give this one another name, or register it with \`override: true\`.`,
  )
}

function partsOf(source: Graph | Blueprint, names: GraphRegistry, mandate: Mandate | undefined): GraphParts {
  if (!isGraph(source)) return { blueprint: requireBlueprint(source), functions: registered(names), mandate }
  const { parts, blueprint } = source
  const host = registered(names)
  const functions: GraphFunctions = {
    router: (name) => (parts.routers.get(name) as Router | undefined) ?? host.router(name),
    reducer: (name) => (parts.reducers.get(name) as GraphReducer | undefined) ?? host.reducer(name),
    check: parts.check,
    given: parts.given,
  }
  return { blueprint, functions, nodes: parts.nodes, resources: parts.resources, mandate: mandate ?? parts.mandate }
}

/** The functions that the host has registered. */
function registered(names: GraphRegistry): GraphFunctions {
  return {
    router: (name) => (names.find('router', name) === undefined ? undefined : names.router(name)),
    reducer: (name) => (names.find('reducer', name) === undefined ? undefined : names.reducer(name)),
  }
}
