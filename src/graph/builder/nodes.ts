import { MandateError, checkFields } from '../../core/index.ts'
import type { FieldNames, Json, JsonObject } from '../../core/index.ts'
import { givenModel } from '../../model/index.ts'
import type { GivenModel, Model } from '../../model/index.ts'
import { toolFrom } from '../../tool/index.ts'
import type { Tool, ToolLike } from '../../tool/index.ts'
import type { NodeBlueprint } from '../blueprint/blueprint.ts'
import type { GivenByCode } from '../runtime/compiled-graph.ts'
import type { GraphContext } from '../runtime/graph-context.ts'
import { MAP_OPTIONS, checkMapOptions, mapReduce } from '../runtime/map-reduce.ts'
import type { MapOptions } from '../runtime/map-reduce.ts'
import type { NodeFunction } from '../runtime/nodes/code-node.ts'
import type { Graph } from './graph.ts'

/** The definition of a node that is not a function, to be added to a graph under a name. */
export interface NodeDefinition {
  readonly spec: Omit<NodeBlueprint, 'name'>
  readonly given?: GivenByCode | undefined
  readonly models?: readonly Model[] | undefined
  readonly tools?: readonly Tool[] | undefined
  /** A graph that is registered together with the graph of this node. */
  readonly graph?: Graph | undefined
  readonly run?: NodeFunction | undefined
}

type State = Readonly<Record<string, unknown>>

/** Options shared by several kinds of nodes. */
interface NodeInput {
  /** The channel of the result; the name of the node by default. */
  readonly writes?: string | undefined
  /** The input of the node: an expression over `state` and `item`, or a function. By default the item that it was sent, otherwise the state. */
  readonly input?: string | ((state: never, item: Json | undefined) => unknown) | undefined
  /** Converts the result to an update, instead of writing it to one channel. */
  readonly output?: ((result: never, state: never) => unknown) | undefined
}

/** Options of nodes with a prompt. */
interface PromptedInput extends NodeInput {
  /** The prompt: a text with `{{ state.field }}` in it, or a function. */
  readonly prompt?: string | ((state: never, item: Json | undefined) => string) | undefined
}

interface AgentNodeOptions extends PromptedInput {
  /** With a model instead of the name of an agent, the node is an agent of its own. */
  readonly model?: GivenModel | string | undefined
  readonly system?: string | undefined
  readonly tools?: readonly (ToolLike | string)[] | undefined
}

interface HumanOptions extends PromptedInput {
  /** The allowed answers; any answer by default. */
  readonly options?: readonly string[] | undefined
}

interface MapNodeOptions<T, R> extends MapOptions {
  readonly items: (state: never) => readonly T[]
  readonly run: (item: T, context: GraphContext) => R | Promise<R>
  /** The channel of the results, a list in the order of the items; the name of the node by default. */
  readonly writes?: string | undefined
}

const INPUT: FieldNames<NodeInput> = { writes: true, input: 'text|function', output: true }
const PROMPTED: FieldNames<PromptedInput> = { ...INPUT, prompt: 'text|function' }
const AGENT: FieldNames<AgentNodeOptions> = { ...PROMPTED, model: 'text|object', system: true, tools: 'list' }
const HUMAN: FieldNames<HumanOptions> = { ...PROMPTED, options: true }
const MAP: FieldNames<MapNodeOptions<unknown, unknown>> = { ...MAP_OPTIONS, items: true, run: 'function', writes: true }

/** Throws on a value of another type: it would be ignored. */
function checkGiven(values: Readonly<Record<string, unknown>>, types: readonly string[]): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || types.includes(typeof value)) continue
    const words = types.map((type) => (type === 'string' ? 'a text' : 'a function')).join(' or ')
    throw new MandateError('CONFIG_INVALID', `\`${name}\`, an option of a node, is no such value. Give ${words}.`)
  }
}

/** The parts of a definition from these options. */
function partsOf({
  writes,
  input,
  output,
  prompt,
}: PromptedInput): Pick<NodeDefinition, 'given'> & { spec: JsonObject } {
  checkGiven({ input, prompt }, ['string', 'function'])
  checkGiven({ output }, ['function'])
  checkGiven({ writes }, ['string'])
  const given: GivenByCode = {
    input: typeof input === 'function' ? (input as GivenByCode['input']) : undefined,
    prompt: typeof prompt === 'function' ? (prompt as GivenByCode['prompt']) : undefined,
    output: output as GivenByCode['output'],
  }
  return {
    given,
    spec: {
      ...(writes === undefined ? {} : { writes }),
      ...(typeof input === 'string' ? { input } : {}),
      ...(typeof prompt === 'string' ? { prompt } : {}),
    },
  }
}

function modelled(kind: 'agent' | 'model', options: AgentNodeOptions): NodeDefinition {
  checkFields(options, `an option of \`nodes.${kind}\``, AGENT)
  const { model, system, tools = [] } = options
  const { spec, given } = partsOf(options)
  const own = typeof model === 'string' || model === undefined ? undefined : givenModel(model)
  const made = tools.flatMap((tool) => (typeof tool === 'string' ? [] : [toolFrom(tool)]))
  const names = tools.map((tool) => (typeof tool === 'string' ? tool : toolFrom(tool).name))
  const id = own?.id ?? (typeof model === 'string' ? model : undefined)
  return {
    spec: {
      ...spec,
      kind,
      ...(id === undefined ? {} : { model: id }),
      ...(system === undefined ? {} : { system }),
      ...(names.length === 0 ? {} : { tools: names }),
    },
    given,
    models: own === undefined ? [] : [own],
    tools: made,
  }
}

/**
 * The kinds of nodes besides functions: each is added to a graph with `.node(name, nodes.…)`.
 *
 * @example
 * ```ts
 * import { channel, defineGraph, nodes } from 'mandate/graph'
 * const graph = defineGraph({ name: 'letter', state: { topic: channel.last<string>(), draft: channel.last<string>() } })
 *   .node('write', nodes.agent('writer', { prompt: 'Write about {{ state.topic }}.', writes: 'draft' }))
 *   .node('review', nodes.human({ prompt: 'Send this? {{ state.draft }}', options: ['yes', 'no'] }))
 *   .edge('write', 'review')
 *   .route('review', [{ label: 'no', to: 'write' }, { to: 'END' }])
 *   .start('write')
 * ```
 */
export const nodes = {
  /** Runs an agent: a registered one by its name, or one of the node's own with a `model`. */
  agent: (agent: string | AgentNodeOptions, options: PromptedInput = {}): NodeDefinition => {
    if (typeof agent !== 'string') return modelled('agent', agent)
    checkFields(options, 'an option of `nodes.agent`', PROMPTED)
    const { spec, given } = partsOf(options)
    return { spec: { ...spec, kind: 'subagent', agent }, given }
  },
  /** Makes one call of a model. */
  model: (options: AgentNodeOptions): NodeDefinition => modelled('model', options),
  /** Performs the tool calls that the previous node has left in the conversation. */
  tools: (tools: readonly (ToolLike | string)[] = []): NodeDefinition => {
    const { models: _, ...made } = modelled('agent', { tools })
    return { ...made, spec: { ...made.spec, kind: 'tool_executor' } }
  },
  /** Makes one call of a tool. */
  tool: (tool: ToolLike | string, options: NodeInput = {}): NodeDefinition => {
    checkFields(options, 'an option of `nodes.tool`', INPUT)
    const { spec, given } = partsOf(options)
    const made = typeof tool === 'string' ? undefined : toolFrom(tool)
    const name = made?.name ?? (tool as string)
    return { spec: { ...spec, kind: 'tool', tool: name }, given, tools: made === undefined ? [] : [made] }
  },
  /** Runs another graph: a registered one by its name, or one that is registered together with this. */
  subgraph: (graph: Graph | string, options: NodeInput = {}): NodeDefinition => {
    checkFields(options, 'an option of `nodes.subgraph`', INPUT)
    const { spec, given } = partsOf(options)
    const name = typeof graph === 'string' ? graph : graph.name
    return {
      spec: { ...spec, kind: 'subgraph', graph: name },
      given,
      graph: typeof graph === 'string' ? undefined : graph,
    }
  },
  /** Runs a registered program. */
  program: (script: string, options: NodeInput = {}): NodeDefinition => {
    checkFields(options, 'an option of `nodes.program`', INPUT)
    const { spec, given } = partsOf(options)
    return { spec: { ...spec, kind: 'program', script }, given }
  },
  /** Asks a person. */
  human: (options: HumanOptions = {}): NodeDefinition => {
    checkFields(options, 'an option of `nodes.human`', HUMAN)
    const { spec, given } = partsOf(options)
    return {
      spec: { ...spec, kind: 'interrupt', ...(options.options === undefined ? {} : { options: options.options }) },
      given,
    }
  },
  /** Runs a function for every item of a list, in parallel. */
  mapReduce: <T, R>(given: MapNodeOptions<T, R>): NodeDefinition => {
    checkFields(given, 'an option of `nodes.mapReduce`', MAP)
    const { items, run, writes, ...options } = given
    checkGiven({ items: items ?? null, run: run ?? null }, ['function'])
    checkGiven({ writes }, ['string'])
    checkMapOptions(options)
    return {
      spec: { kind: 'code' },
      run: async (state, context) => {
        const list = (items as (state: State) => readonly T[])(state)
        const { results } = await mapReduce(context, list, options, run)
        return { [writes ?? context.node]: results }
      },
    }
  },
} as const
