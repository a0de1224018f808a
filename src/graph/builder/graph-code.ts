import { MandateError } from '../../core/index.ts'
import type { Json } from '../../core/index.ts'
import type { StandardSchema } from '../../tool/index.ts'
import type { GraphReducer } from '../registry/graph-registry.ts'
import type { NodeFunction } from '../runtime/nodes/code-node.ts'
import type { ValueCheck } from '../runtime/value-check.ts'
import type { ChannelType } from './channels.ts'
import type { GraphDraft } from './define-graph.ts'
import type { Graph, GraphCode } from './graph.ts'
import type { StateShape } from './state-types.ts'

/** The channel of a part of a state. */
export function channelIn(given: StateShape[string]): ChannelType<unknown, unknown> {
  if ('reducer' in given) return given
  if (typeof given['~standard']?.validate !== 'function')
    throw new MandateError(
      'CONFIG_INVALID',
      'A channel of the state is neither made by `channel`, as in `channel.last()`, nor a Standard Schema.',
    )
  return { reducer: 'last_value', args: [], schema: given }
}

/** The functions of a graph built in TypeScript. */
export function codeOf({ options, nodes, routers }: GraphDraft): GraphCode {
  const functions = new Map<string, NodeFunction>()
  const reducers = new Map<string, GraphReducer>()
  const checks = new Map<string, ValueCheck>()
  const graphs: Graph[] = []
  const given = [...nodes.values()].map(({ definition }) => definition)
  for (const [name, { definition }] of nodes) if (definition.run !== undefined) functions.set(name, definition.run)
  for (const { graph } of given) if (graph !== undefined) graphs.push(graph)
  for (const [name, part] of Object.entries(options.state)) {
    const { schema, reduce, reducer } = channelIn(part)
    if (reduce !== undefined) reducers.set(`channel:${name}`, reduce as unknown as GraphReducer)
    if (schema !== undefined) checks.set(name, checkOf(name, schema, reducer === 'topic'))
  }
  return {
    nodes: functions,
    routers,
    reducers,
    graphs,
    resources: {
      models: new Map(given.flatMap(({ models = [] }) => models.map((model) => [model.id, model] as const))),
      tools: new Map(given.flatMap(({ tools = [] }) => tools.map((tool) => [tool.name, tool] as const))),
    },
    check: (channel) => checks.get(channel),
    given: (node) => nodes.get(node)?.definition.given,
    mandate: options.mandate,
  }
}

/** Validates a value by the user's schema; the items of a list one by one. */
function checkOf(channel: string, schema: StandardSchema, isList: boolean): ValueCheck {
  const check = (value: Json): ReturnType<ValueCheck> => {
    const checked = schema['~standard'].validate(value)
    if (checked instanceof Promise)
      throw new MandateError(
        'CONFIG_INVALID',
        `The schema of the channel "${channel}" is asynchronous. Use a synchronous one.`,
      )
    const issue = checked.issues?.[0]
    if (issue === undefined) return undefined
    const path = (issue.path ?? []).map((key) => `/${String(typeof key === 'object' ? key.key : key)}`).join('')
    return { path, message: issue.message }
  }
  if (!isList) return check
  return (value) => {
    const items = [value].flat() as readonly Json[]
    for (const [index, item] of items.entries()) {
      const problem = check(item)
      if (problem !== undefined) return { path: `/${index}${problem.path}`, message: problem.message }
    }
    return undefined
  }
}
