import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames } from '../../core/index.ts'
import type { Mandate } from '../../gate/index.ts'
import type { Blueprint, GraphDefaults, NodeBlueprint, RetryBlueprint } from '../blueprint/blueprint.ts'
import { checkBuilt, checkBuiltOptions } from '../blueprint/read.ts'
import { codeOf } from './graph-code.ts'
import { blueprintOf } from './graph-blueprint.ts'
import type { Graph, GraphCode } from './graph.ts'
import type { NodeDefinition } from './nodes.ts'
import type { InputOf, NodeFunctionOf, OutputOf, RouteFunctionOf, StateShape } from './state-types.ts'

/** Options of one node. */
interface NodeOptions<N extends string = string> {
  readonly retry?: RetryBlueprint | undefined
  /** The time limit of one attempt; waiting for people and timers does not count. No limit by default. */
  readonly timeoutMs?: number | undefined
  /** How often it may run in one run. */
  readonly maxVisits?: number | undefined
  /** Pauses for a person before or after it. */
  readonly pause?: 'before' | 'after' | undefined
  /** The node to run if this one fails permanently, instead of ending the run; it is sent the error. */
  readonly onError?: N | undefined
  /** The nodes to which its commands may go, besides those of its edges and routes; by default every node if it has neither. */
  readonly ends?: readonly string[] | undefined
  /** Stores everything when the node has finished, whatever the graph's setting. */
  readonly checkpoint?: 'sync' | undefined
}

const NODE_OPTIONS: FieldNames<NodeOptions> = {
  retry: true,
  timeoutMs: true,
  maxVisits: true,
  pause: true,
  onError: 'text',
  ends: true,
  checkpoint: true,
}

/** Options of a graph. */
interface GraphOptions<S extends StateShape, I extends keyof S, O extends keyof S> extends Pick<
  GraphDefaults,
  'maxSteps' | 'maxVisits' | 'maxConcurrency' | 'timeoutMs' | 'retry'
> {
  readonly name: string
  /** The channels of the state by name. A schema stands for a channel that holds the last value and validates it. */
  readonly state: S
  /** The required channels of the input; any by default. */
  readonly input?: readonly I[] | undefined
  /** The channels of the output; all by default. */
  readonly output?: readonly O[] | undefined
  /** When entries are stored: at once, in batches, or at the end and when the run suspends. */
  readonly checkpoint?: Blueprint['checkpoint']
  /** Applies besides the mandates of the host and of every parent. */
  readonly mandate?: Mandate | undefined
}

const GRAPH_OPTIONS: FieldNames<GraphOptions<StateShape, never, never>> = {
  name: 'text',
  state: 'object',
  input: 'list',
  output: true,
  checkpoint: true,
  mandate: 'object',
  maxSteps: true,
  maxVisits: true,
  maxConcurrency: true,
  timeoutMs: true,
  retry: true,
}

/** One route out of a node: by a label or a condition over `state` and `result`; with neither, if no other is taken. */
interface WayOut<N extends string> {
  readonly to: N | 'END'
  readonly label?: string | undefined
  readonly when?: string | undefined
}

/** The accumulated state of a builder. */
export interface GraphDraft {
  readonly options: GraphOptions<StateShape, string, string>
  readonly nodes: ReadonlyMap<string, DraftNode>
  readonly edges: Blueprint['edges']
  readonly joins: Blueprint['joins']
  readonly routers: ReadonlyMap<string, unknown>
  readonly start?: string | undefined
}

export interface DraftNode {
  readonly definition: NodeDefinition
  readonly options: NodeOptions
  readonly routes?: NodeBlueprint['routes']
  readonly router?: string | undefined
  readonly ends?: readonly string[] | undefined
}

/** Builds a graph. Every call returns a new builder, whose type has the state and the nodes. */
class GraphBuilder<S extends StateShape, I extends keyof S, O extends keyof S, N extends string> implements Graph<
  InputOf<S, I>,
  OutputOf<S, O>
> {
  declare readonly '~types'?: { readonly input: InputOf<S, I>; readonly output: OutputOf<S, O> }
  readonly #draft: GraphDraft
  #blueprint: Blueprint | undefined
  #parts: GraphCode | undefined

  constructor(draft: GraphDraft) {
    this.#draft = draft
  }

  get name(): string {
    return this.#draft.options.name
  }

  get blueprint(): Blueprint {
    return (this.#blueprint ??= checkBuilt(blueprintOf(this.#draft)))
  }

  get parts(): GraphCode {
    return (this.#parts ??= codeOf(this.#draft))
  }

  /** Adds a node: a function over the state, or one of `nodes`. */
  node<K extends string>(
    name: K,
    run: NodeFunctionOf<S, I> | NodeDefinition,
    options: NodeOptions<N | K> = {},
  ): GraphBuilder<S, I, O, N | K> {
    checkFields(options, 'an option of a node', NODE_OPTIONS)
    const { onError: _, ...own } = options
    checkBuiltOptions({ nodes: [{ name, kind: 'code', ...own }] }, `The node "${name}"`)
    const definition: NodeDefinition =
      typeof run === 'function' ? { spec: { kind: 'code' }, run: run as NodeDefinition['run'] } : run
    const nodes = new Map(this.#draft.nodes)
    if (nodes.has(name))
      throw new MandateError('DUPLICATE', `The graph "${this.name}" has two nodes "${name}". Give one another name.`)
    return this.#with<N | K>({ nodes: nodes.set(name, { definition, options }) })
  }

  /** Adds an edge; several edges from one node start parallel branches. */
  edge(from: N, to: N | 'END'): GraphBuilder<S, I, O, N> {
    return this.#with({ edges: [...this.#draft.edges, { from, to }] })
  }

  /**
   * Sets where to go after a node: by a function of the state and the node's result, whose choice is journaled, or by a list of routes with labels
   * and conditions. `targets` names the nodes that the function can choose, for diagrams and joins; by default every node.
   */
  route(
    from: N,
    ways: RouteFunctionOf<S, I, N> | readonly WayOut<N>[],
    targets?: readonly (N | 'END')[],
  ): GraphBuilder<S, I, O, N> {
    const node = this.#draft.nodes.get(from)
    const nodes = new Map(this.#draft.nodes)
    const routers = new Map(this.#draft.routers)
    if (node === undefined) return this.#with({ edges: [...this.#draft.edges, { from, to: 'END' }] })
    if (typeof ways === 'function') {
      const router = `route:${from}`
      routers.set(router, ways)
      nodes.set(from, { ...node, router, ends: targets })
    } else {
      checkBuiltOptions({ nodes: [{ name: from, kind: 'code', routes: ways }] }, `The node "${from}"`)
      nodes.set(from, { ...node, routes: ways })
    }
    return this.#with({ nodes, routers })
  }

  /** Runs a node once all of these have run, in any steps. It does not wait for nodes that can no longer run. */
  join(sources: readonly N[], to: N | 'END'): GraphBuilder<S, I, O, N> {
    return this.#with({ joins: [...this.#draft.joins, { sources, to }] })
  }

  /** Sets the first node of a run. */
  start(name: N): GraphBuilder<S, I, O, N> {
    return this.#with({ start: name })
  }

  #with<M extends string = N>(change: Partial<GraphDraft>): GraphBuilder<S, I, O, M> {
    return new GraphBuilder<S, I, O, M>({ ...this.#draft, ...change })
  }
}

/**
 * Starts building a graph in TypeScript. The types of its state apply to nodes, updates and routes; unknown names of nodes are type errors.
 *
 * @example
 * ```ts
 * import { AgentService } from 'mandate'
 * import { channel, defineGraph, runGraph } from 'mandate/graph'
 * const graph = defineGraph({ name: 'countdown', state: { left: channel.last<number>() }, input: ['left'] })
 *   .node('tick', (state) => ({ left: state.left - 1 }))
 *   .route('tick', (state) => (state.left > 0 ? 'tick' : 'END'), ['tick', 'END'])
 *   .start('tick')
 * const outcome = await runGraph(new AgentService(), graph, { left: 3 }).outcome
 * ```
 */
export function defineGraph<
  const S extends StateShape,
  const I extends keyof S & string = never,
  const O extends keyof S & string = never,
>(options: GraphOptions<S, I, O>): GraphBuilder<S, I, O, never> {
  checkFields(options, 'an option of `defineGraph`', GRAPH_OPTIONS)
  const { maxSteps, maxVisits, maxConcurrency, timeoutMs, retry, checkpoint } = options
  const defaults = { maxSteps, maxVisits, maxConcurrency, timeoutMs, retry }
  checkBuiltOptions({ defaults, checkpoint }, `The graph "${options.name}"`)
  const given = options as unknown as GraphDraft['options']
  return new GraphBuilder({ options: given, nodes: new Map(), edges: [], joins: [], routers: new Map() })
}
